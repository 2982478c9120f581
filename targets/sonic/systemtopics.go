package sonic

import "github.com/rocec/rocec/lang/diag"

var topicRelease = diag.Topic{
	Code:    "sonic-release",
	Summary: "rocec does not write this release of SONiC",
}

var topicModel = diag.Topic{
	Code:    "sonic-model",
	Summary: "SONiC, or this release of SONiC, does not run on this model",
}

var topicLookup = diag.Topic{
	Code:    "sonic-lookup",
	Summary: "SONiC ships no headroom for ports of this speed and length",
}

var topicMemory = diag.Topic{
	Code:    "sonic-memory-written",
	Summary: "rocec cannot write how SONiC divides the memory",
}
