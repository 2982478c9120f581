package compiler

import "github.com/rocec/rocec/lang/diag"

// What can be wrong with a table of next hops, beside its form.
var (
	topicTableName = &diag.Topic{Code: "table-name", Summary: "a name in the table of next hops leads nowhere"}

	topicTableTwice = &diag.Topic{Code: "table-duplicate", Summary: "the table of next hops says a thing twice"}

	topicTablePort = &diag.Topic{Code: "table-port", Summary: "a next hop is not a port traffic could leave by"}

	topicTableMissing = &diag.Topic{Code: "table-switch-missing", Summary: "the table of next hops leaves a switch out"}

	topicTableTooLarge = &diag.Topic{Code: "table-too-large", Summary: "the table of next hops is too large to follow"}

	topicRoutingLoop = &diag.Topic{Code: "routing-loop", Summary: "the next hops go round in a circle"}

	topicNoRoute = &diag.Topic{Code: "no-route", Summary: "a switch has no route to a member"}
)
