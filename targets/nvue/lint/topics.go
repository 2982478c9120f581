package lint

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/settings"
)

// Topics are the codes that only this package reports.
var Topics = []diag.Topic{
	topicTree, topicPath, topicValue, topicWord, topicProfile, topicMember, topicPause, topicPool, topicMap, topicShares, topicPreset,
	topicIgnore, topicModel,
}

var topicTree = diag.Topic{
	Code:    "conf-nvue-tree",
	Summary: "a configuration of NVUE cannot be read as a whole",
}

var topicPath = diag.Topic{
	Code:    "conf-nvue-path",
	Summary: "the release has no such path of NVUE",
}

var topicValue = diag.Topic{
	Code:    "conf-nvue-value",
	Summary: "NVUE does not accept this value",
}

var topicWord = diag.Topic{
	Code:    "conf-nvue-word",
	Summary: "YAML does not read a key without quotes as text",
}

var topicProfile = diag.Topic{
	Code:    "conf-nvue-profile",
	Summary: "a port has an undeclared profile, or one that makes nothing lossless",
}

var topicMember = diag.Topic{
	Code:    "conf-nvue-member",
	Summary: "QoS settings at an interface that cannot have them",
}

var topicPause = diag.Topic{
	Code:    "conf-nvue-pause",
	Summary: "pauses go one way, are of two kinds, or stop several priorities",
}

var topicPool = diag.Topic{
	Code:    "conf-nvue-pool",
	Summary: "lossless traffic has no memory",
}

var topicMap = diag.Topic{
	Code:    "conf-nvue-map",
	Summary: "the map and the lossless priorities do not match",
}

var topicShares = diag.Topic{
	Code:    "conf-nvue-shares",
	Summary: "the shares of a scheduler do not add up, or lossless traffic has no share",
}

var topicPreset = diag.Topic{
	Code:    "conf-nvue-preset",
	Summary: "the preset and settings of default-global contradict each other",
}

var topicIgnore = diag.Topic{
	Code:    "conf-nvue-ignore",
	Summary: "NVUE does not write the files of QoS, so its QoS has no effect",
}

var topicModel = diag.Topic{
	Code:    "conf-nvue-model",
	Summary: "the release of a header does not run on its model",
}

var topicNVUE = diag.Topic{
	Code:    "conf-nvue",
	Summary: "a configuration of NVUE is not checked, or only as a part",
}

// Codes of rules for all systems. This package reports them where a tree contains more than settings do.
var (
	topicHeadroom   = settings.Headroom.Topic
	topicSizes      = settings.Sizes.Topic
	topicThresholds = settings.ECNThresholds.Topic
	topicRemark     = settings.Remark.Topic
)
