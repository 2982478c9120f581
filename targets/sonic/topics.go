package sonic

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes that this package reports.
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
	Summary: "a port would have to trust both DSCP and PCP",
}

var topicGroup = diag.Topic{
	Code:    "sonic-cos",
	Summary: "a lossless group has the priority group of lossy traffic",
}

var topicSizes = diag.Topic{
	Code:    "sonic-sizes",
	Summary: "rocec does not write stated buffer sizes on SONiC",
}

var topicMarks = diag.Topic{
	Code:    "sonic-marking",
	Summary: "in this release no patch can make the marking profiles",
}

var topicBounce = diag.Topic{
	Code:    "sonic-bounce",
	Summary: "rocec does not move traffic that comes down and goes up again",
}

var topicConfig = diag.Topic{
	Code:    "sonic-config",
	Summary: "the configuration of a switch cannot be edited",
}

var topicChips = diag.Topic{
	Code:    "sonic-chips",
	Summary: "the switch has several chips, each with its own configuration",
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
	Summary: "the switch has no sizes for a speed and a cable length",
}

var topicPatch = diag.Topic{
	Code:    "sonic-patch",
	Summary: "the switch does not accept a change by a patch",
}
