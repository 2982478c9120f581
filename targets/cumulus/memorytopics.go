package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about how a chip's memory is shared out. All but the first are about a file on a switch.

var topicMemoryWritten = diag.Topic{
	Code:    "cumulus-memory-written",
	Summary: "rocec cannot write how this switch shares out its memory",
}

var topicMemoryPool = diag.Topic{
	Code:    "cumulus-memory-pool",
	Summary: "the pool of lossless traffic on the switch has no memory",
}

var topicMemoryShared = diag.Topic{
	Code:    "cumulus-memory-shared",
	Summary: "lossless traffic has no pool of its own on the switch",
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
	Summary: "by the memory of the switch, pauses come before marks",
}

var topicMemoryUnread = diag.Topic{
	Code:    "cumulus-memory-unread",
	Summary: "how the switch shares out its memory is not known",
}
