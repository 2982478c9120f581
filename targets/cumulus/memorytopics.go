package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about the division of a chip's memory. All except the first are about a file on a switch.

var topicMemoryWritten = diag.Topic{
	Code:    "cumulus-memory-written",
	Summary: "rocec cannot write the division of this switch's memory",
}

var topicMemoryPool = diag.Topic{
	Code:    "cumulus-memory-pool",
	Summary: "the pool of lossless traffic on the switch has no memory",
}

var topicMemoryShared = diag.Topic{
	Code:    "cumulus-memory-shared",
	Summary: "lossless traffic shares its pool with other traffic on the switch",
}

var topicMemorySmall = diag.Topic{
	Code:    "cumulus-memory-small",
	Summary: "the pool of lossless traffic on the switch is too small",
}

var topicMemoryEgress = diag.Topic{
	Code:    "cumulus-memory-egress",
	Summary: "queues of lossless traffic are limited on the switch",
}

var topicMemoryMarks = diag.Topic{
	Code:    "cumulus-memory-marks",
	Summary: "the memory of the switch makes pauses come before marks",
}

var topicMemoryUnread = diag.Topic{
	Code:    "cumulus-memory-unread",
	Summary: "the division of the switch's memory is unknown",
}
