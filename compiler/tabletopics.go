package compiler

import "github.com/rocec/rocec/lang/diag"

// The mistakes in a table of next hops, other than syntax errors.
var (
	topicTableName = &diag.Topic{Code: "table-name", Summary: "the table of next hops contains an unknown name"}

	topicTableTwice = &diag.Topic{Code: "table-duplicate", Summary: "the table of next hops contains a duplicate"}

	topicTablePort = &diag.Topic{Code: "table-port", Summary: "a next hop is not a port by which traffic can leave"}

	topicTableMissing = &diag.Topic{Code: "table-switch-missing", Summary: "the table of next hops lacks a switch"}

	topicTableTooLarge = &diag.Topic{Code: "table-too-large", Summary: "the table of next hops is too large to follow"}

	topicRoutingLoop = &diag.Topic{Code: "routing-loop", Summary: "the next hops form a loop"}

	topicNoRoute = &diag.Topic{Code: "no-route", Summary: "a switch has no route to a member"}
)
