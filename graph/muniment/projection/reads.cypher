// The reads and writes of the projection by name. Every match starts at a primary key, but for `handle` and what a mission
// that was folded anew needs.
// `<kinds>` is filled in by the caller. An edge is read by its own `data`, which names its ends: to ask for a property of
// the node at its other end costs ten times as much.

// node
MATCH (n:Node {id: $id}) WHERE n.mission = $mission AND n.ordinal <= $upto RETURN n.data;

// exists
MATCH (n:Node {id: $id}) RETURN n.id;

// page
MATCH (b:Bucket {id: $bucket})-[h:HOLDS]->(n:Node) WHERE h.ordinal <= $upto RETURN h.seq, n.data;

// handle
MATCH (n:Node) WHERE n.mission = $mission AND n.handle = $handle AND n.ordinal <= $upto RETURN n.seq, n.data;

// edges out
MATCH (n:Node {id: $id})-[e:<kinds>]->(:Node) RETURN e.seq, e.data;

// edges in
MATCH (n:Node {id: $id})<-[e:<kinds>]-(:Node) RETURN e.seq, e.data;

// page edges in
MATCH (b:Bucket {id: $bucket})-[:HOLDS]->(n:Node)<-[e:<kinds>]-(:Node) RETURN e.seq, e.data;

// ledgers
MATCH (n:Node {id: $id})-[l:LEDGER]->(o:Observation) WHERE n.mission = $mission AND l.ordinal <= $upto RETURN l.seq, l.ordinal, o.data;

// newest ledger
MATCH (n:Node {id: $id})-[l:LEDGER]->(o:Observation) WHERE n.mission = $mission AND l.ordinal <= $upto RETURN l.seq, l.ordinal, o.data ORDER BY l.seq DESC LIMIT 1;

// states
MATCH (s:State) RETURN s.id, s.data;

// add bucket
CREATE (:Bucket {id: $id});

// has bucket
MATCH (b:Bucket {id: $id}) RETURN b.id;

// add node
MATCH (k:Bucket {id: $page}), (r:Bucket {id: $made}) CREATE (n:Node {id: $id, kind: $kind, mission: $mission, ordinal: $ordinal, seq: $seq, handle: $handle, record: $record, data: $data}), (k)-[:HOLDS {ordinal: $ordinal, seq: $seq}]->(n), (r)-[:HOLDS {ordinal: $ordinal, seq: $seq}]->(n);

// add holds
MATCH (b:Bucket {id: $page}), (n:Node {id: $id}) CREATE (b)-[:HOLDS {ordinal: $ordinal, seq: $seq}]->(n);

// add edge
MATCH (a:Node {id: $source}), (b:Node {id: $target}) CREATE (a)-[:<kinds> {ordinal: $ordinal, seq: $seq, state: $state, data: $data}]->(b);

// add observation
MATCH (n:Node {id: $file}) CREATE (n)-[:LEDGER {ordinal: $ordinal, seq: $seq}]->(:Observation {id: $id, data: $data});

// add state
CREATE (:State {id: $id, data: $data});

// set state
MATCH (s:State {id: $id}) SET s.data = $data;


// stored nodes
MATCH (n:Node) WHERE n.mission = $mission RETURN n.seq, n.ordinal, n.data;

// stored edges
MATCH (n:Node)-[e:<kinds>]->(:Node) WHERE n.mission = $mission RETURN e.seq, e.ordinal, e.data;

// stored ledgers
MATCH (n:Node)-[l:LEDGER]->(o:Observation) WHERE n.mission = $mission RETURN l.seq, l.ordinal, o.data;

// cut edges
MATCH (n:Node)-[e:<kinds>]->(:Node) WHERE n.mission = $mission AND e.ordinal > $upto DELETE e;

// cut holds
MATCH (:Bucket)-[h:HOLDS]->(n:Node) WHERE n.mission = $mission AND h.ordinal > $upto DELETE h;

// ledgers behind
MATCH (n:Node)-[l:LEDGER]->(o:Observation) WHERE n.mission = $mission AND l.ordinal > $upto RETURN o.id;

// cut ledgers
MATCH (n:Node)-[l:LEDGER]->(:Observation) WHERE n.mission = $mission AND l.ordinal > $upto DELETE l;

// cut observation
MATCH (o:Observation {id: $id}) DELETE o;

// cut nodes
MATCH (n:Node) WHERE n.mission = $mission AND n.ordinal > $upto DELETE n;
