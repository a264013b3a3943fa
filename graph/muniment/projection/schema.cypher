// The projection's tables. One node table for all kinds; one relationship table for each kind of edge (made by `tables.py`).
//
// Node         a node of the graph; `data` is the whole of it, as JSON
// Observation  a state of a file's ledger
// Bucket       what stands in the place of an index: the nodes of a kind by pages, the nodes that a record made
// State        how far a mission has been projected; under the id "" what the database was made from

CREATE NODE TABLE Node(id STRING PRIMARY KEY, kind STRING, mission STRING, ordinal INT64, seq INT64, handle STRING, record STRING, data STRING);
CREATE NODE TABLE Observation(id STRING PRIMARY KEY, data STRING);
CREATE NODE TABLE Bucket(id STRING PRIMARY KEY);
CREATE NODE TABLE State(id STRING PRIMARY KEY, data STRING);
CREATE REL TABLE HOLDS(FROM Bucket TO Node, ordinal INT64, seq INT64);
CREATE REL TABLE LEDGER(FROM Node TO Observation, ordinal INT64, seq INT64);
