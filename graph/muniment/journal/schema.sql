-- The journal's tables. Texts are stored as UTF-8 bytes (with lone surrogates let through), so that any text can be kept.

-- One row: where the journal stands, and the store's key with a check of it. `sweep` is 1 while erased bytes may still be in the files.
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB NOT NULL,
  key_check BLOB NOT NULL,
  position INTEGER NOT NULL,
  hash BLOB NOT NULL,
  epoch INTEGER NOT NULL,
  sweep INTEGER NOT NULL
);

-- Words that many entries share: projects, actors, formats.
CREATE TABLE name (
  id INTEGER PRIMARY KEY,
  text BLOB NOT NULL UNIQUE
);

-- `entries` counts, so that an index which hides rows is noticed.
CREATE TABLE mission (
  id INTEGER PRIMARY KEY,
  text BLOB NOT NULL UNIQUE,
  entries INTEGER NOT NULL
);

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  mission INTEGER NOT NULL,
  text BLOB NOT NULL,
  UNIQUE (mission, text)
);

CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  text BLOB NOT NULL,
  entries INTEGER NOT NULL,
  UNIQUE (session, text)
);

-- One row per entry. `number` counts within the mission, `place` within the stream, both from 1.
-- `body` and `salt` are NULL once purged; `commitment` stays, and with it the chain.
CREATE TABLE entry (
  position INTEGER PRIMARY KEY,
  mission INTEGER NOT NULL,
  number INTEGER NOT NULL,
  session INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  place INTEGER NOT NULL,
  source_id BLOB NOT NULL,
  project INTEGER NOT NULL,
  actor INTEGER NOT NULL,
  format INTEGER NOT NULL,
  recorded_at BLOB NOT NULL,
  commitment BLOB NOT NULL,
  hash BLOB NOT NULL,
  salt BLOB,
  body BLOB
);

CREATE UNIQUE INDEX entry_of_mission ON entry (mission, number);
CREATE UNIQUE INDEX entry_of_stream ON entry (stream, place);
CREATE UNIQUE INDEX entry_of_source ON entry (session, source_id);

-- `form` 0: the bytes as they are; 1: one zstd frame. `size` is that of the bytes themselves.
CREATE TABLE payload (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  form INTEGER NOT NULL,
  size INTEGER NOT NULL,
  data BLOB NOT NULL
);

-- Which entries were purged, when and why; it holds nothing of what they said.
CREATE TABLE purge (
  position INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  recorded_at BLOB NOT NULL,
  why BLOB NOT NULL
);
