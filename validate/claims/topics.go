package claims

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes of devices that contradict an assumption of a verdict.
var Topics = []diag.Topic{
	topicNumber, topicAllowAS, topicPrepending, topicSession, topicStatic, topicAggregate, topicTurn, topicLoop, topicTree, topicHost,
	topicFlooding, topicTunnel,
}

var topicNumber = diag.Topic{Code: "claim-as-number", Summary: "switch runs with another AS number than the fabric says"}

var topicAllowAS = diag.Topic{Code: "claim-allowas-in", Summary: "switch accepts routes that contain its own AS number"}

var topicPrepending = diag.Topic{Code: "claim-prepending", Summary: "switch makes AS paths longer"}

var topicSession = diag.Topic{Code: "claim-session", Summary: "switch has a BGP session that the fabric does not imply"}

var topicStatic = diag.Topic{Code: "claim-static-route", Summary: "switch announces routes to hosts that BGP did not bring"}

var topicAggregate = diag.Topic{Code: "claim-aggregate", Summary: "switch announces an aggregate without a discard route"}

var topicTurn = diag.Topic{Code: "claim-turn", Summary: "routes of a switch take a turn that the routing of the fabric does not have"}

var topicLoop = diag.Topic{Code: "claim-loop", Summary: "running routes close a circle of waiting buffers"}

var topicTree = diag.Topic{Code: "claim-spanning-tree", Summary: "bridges do not run one spanning tree"}

var topicHost = diag.Topic{Code: "claim-host-forwards", Summary: "host forwards packets, and the fabric does not say so"}

var topicFlooding = diag.Topic{Code: "claim-flooding", Summary: "switch forgets MAC addresses before ARP entries"}

var topicTunnel = diag.Topic{Code: "claim-tunnel", Summary: "switch puts packets into tunnels"}
