package sonic

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicRelease, topicModel, topicLookup, topicMemory, topicImage, topicPause, topicTrust, topicGroup, topicSizes, topicMarks,
	topicBounce, topicConfig, topicChips, topicPort, topicAdmin, topicPool, topicCable, topicPatch,
}

var topicImage = diag.Topic{
	Code:    "sonic-image",
	Summary: "the switch runs a release that is not known",
}

var topicPause = diag.Topic{
	Code:    "sonic-pause",
	Summary: "SONiC has no table for link pause",
}

var topicTrust = diag.Topic{
	Code:    "sonic-trust",
	Summary: "a port would have to go by DSCP and by PCP",
}

var topicGroup = diag.Topic{
	Code:    "sonic-cos",
	Summary: "a lossless group has the priority group of lossy traffic",
}

var topicSizes = diag.Topic{
	Code:    "sonic-sizes",
	Summary: "stated sizes of buffers are not written on SONiC",
}

var topicMarks = diag.Topic{
	Code:    "sonic-marking",
	Summary: "this release lets no patch make the profiles of marking",
}

var topicBounce = diag.Topic{
	Code:    "sonic-bounce",
	Summary: "traffic that comes down and goes up again is not moved by rocec",
}

var topicConfig = diag.Topic{
	Code:    "sonic-config",
	Summary: "the configuration of a switch cannot be edited",
}

var topicChips = diag.Topic{
	Code:    "sonic-chips",
	Summary: "the switch has several chips, each with a configuration of its own",
}

var topicPort = diag.Topic{
	Code:    "sonic-port",
	Summary: "the switch has no such port",
}

var topicAdmin = diag.Topic{
	Code:    "sonic-admin-status",
	Summary: "a lossless port has no admin_status",
}

var topicPool = diag.Topic{
	Code:    "sonic-pool",
	Summary: "the switch has no pool for lossless traffic",
}

var topicCable = diag.Topic{
	Code:    "sonic-cable",
	Summary: "the switch has no sizes for a speed and a length of cable",
}

var topicPatch = diag.Topic{
	Code:    "sonic-patch",
	Summary: "the switch does not take a change by a patch",
}
