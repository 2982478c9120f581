package nvue

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes that this package reports.
var Topics = []diag.Topic{
	topicRelease, topicNewer, topicChip, topicLossless, topicXon, topicBonded, topicBounce, topicTree, topicPreset, topicBond,
	topicPools, topicBeside,
}

var topicRelease = diag.Topic{
	Code:    "nvue-release",
	Summary: "rocec does not write the NVUE tree of this release",
}

var topicNewer = diag.Topic{
	Code:    "nvue-newer",
	Summary: "this release is newer than the NVUE releases that rocec knows",
}

var topicChip = diag.Topic{
	Code:    "nvue-chip",
	Summary: "Cumulus Linux 5.x does not run on this chip",
}

var topicLossless = diag.Topic{
	Code:    "nvue-lossless-groups",
	Summary: "lossless groups of a port share one buffer",
}

var topicXon = diag.Topic{
	Code:    "nvue-xon",
	Summary: "the meaning of xon-threshold is unsure on this release",
}

var topicBonded = diag.Topic{
	Code:    "nvue-bond-name",
	Summary: "the name of a bond is read from the switch",
}

var topicBounce = diag.Topic{
	Code:    "nvue-bounce",
	Summary: "rocec does not move traffic that comes down and goes up again",
}

var topicTree = diag.Topic{
	Code:    "nvue-tree",
	Summary: "the tree of a switch cannot be edited",
}

var topicPreset = diag.Topic{
	Code:    "nvue-preset",
	Summary: "the switch has the vendor's RoCE preset, and the fabric does not fit it",
}

var topicBond = diag.Topic{
	Code:    "nvue-bond",
	Summary: "the fabric wants different settings for the members of one bond",
}

var topicPools = diag.Topic{
	Code:    "nvue-pools",
	Summary: "other pools leave no memory for the lossless pool",
}

var topicBeside = diag.Topic{
	Code:    "nvue-beside",
	Summary: "settings of others take resources from lossless traffic",
}
