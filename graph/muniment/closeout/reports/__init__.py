"""Reports: a closeout in the forms that people, forges and supply chains read.

* `dossier.py` gathers what all of them need of the snapshot, once, as plain values without secrets and without
  characters that do something; each format is then one small function from the dossier to text, in a file of its own.
* Equal snapshots give equal bytes: no clock, no random ids, everything in a fixed order.
* `render.py` is the list of formats.
"""
