package nvue

import "github.com/rocec/rocec/lang/diag"

// Topics is every code this package reports.
var Topics = []diag.Topic{
	topicRelease, topicNewer, topicChip, topicLossless, topicXon, topicBonded, topicBounce, topicTree, topicPreset, topicBond,
	topicPools, topicBeside,
}

var topicRelease = diag.Topic{
	Code:    "nvue-release",
	Summary: "this release has no tree of NVUE that rocec writes",
}

var topicNewer = diag.Topic{
	Code:    "nvue-newer",
	Summary: "this release is newer than what rocec knows of NVUE",
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
	Summary: "what xon-threshold counts is not sure on this release",
}

var topicBonded = diag.Topic{
	Code:    "nvue-bond-name",
	Summary: "the name of a bond is read from the switch",
}

var topicBounce = diag.Topic{
	Code:    "nvue-bounce",
	Summary: "traffic that comes down and goes up again is not moved by rocec",
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
	Summary: "the fabric wants different settings of the members of one bond",
}

var topicPools = diag.Topic{
	Code:    "nvue-pools",
	Summary: "other pools leave no room for the lossless one",
}

var topicBeside = diag.Topic{
	Code:    "nvue-beside",
	Summary: "settings of others take from lossless traffic what the fabric gives it",
}
