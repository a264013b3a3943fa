-- The index of text search: disposable, made anew whenever it is missing, damaged, or of another basis.
--
-- Each mission has full-text tables of its own (words_N, made by index.py): a search never reads words of a mission
-- out of sight, and scores tell nothing of them. Texts are kept once, compressed, in `text`; the full-text tables
-- read them through the view `words`.

BEGIN IMMEDIATE;

CREATE TABLE IF NOT EXISTS basis (tag TEXT NOT NULL, epoch INTEGER NOT NULL) STRICT;

-- position: entries up to here were looked at. ordinal: up to here the order is settled; what is newer is taken anew.
-- marks: what the settled order rests on (see missions.Settled).
CREATE TABLE IF NOT EXISTS mission (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  position INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  marks BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS document (
  id INTEGER PRIMARY KEY,
  mission INTEGER NOT NULL,
  node TEXT NOT NULL,
  handle TEXT NOT NULL,
  kind TEXT NOT NULL,
  record TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  UNIQUE (mission, node)
) STRICT;
CREATE INDEX IF NOT EXISTS document_ordinal ON document (mission, ordinal);

-- Apart from their documents, so that these stay small: a search reads all that match and the texts of the best only.
CREATE TABLE IF NOT EXISTS text (
  id INTEGER PRIMARY KEY,
  title BLOB NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS ended (
  mission INTEGER NOT NULL,
  node TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (mission, node)
) STRICT, WITHOUT ROWID;

CREATE VIEW IF NOT EXISTS words (id, title, body) AS SELECT id, unpacked(title), unpacked(body) FROM text;

COMMIT;
