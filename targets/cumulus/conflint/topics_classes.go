package conflint

import "github.com/rocec/rocec/lang/diag"

// The codes about what the settings mean together.
var topicValueTwice = diag.Topic{
	Code:    "conf-value-twice",
	Summary: "a value is listed twice",
}

var topicUnmapped = diag.Topic{
	Code:    "conf-value-unmapped",
	Summary: "a value of a trusted field has no cos",
}

var topicUnreachable = diag.Topic{
	Code:    "conf-pfc-unreachable",
	Summary: "PFC or ECN on a cos no packet reaches",
}

var topicMoved = diag.Topic{
	Code:    "conf-cos-moved",
	Summary: "lossless traffic changes its number",
}

var topicUnmarked = diag.Topic{
	Code:    "conf-lossless-default",
	Summary: "unmarked traffic becomes lossless",
}

var topicHalf = diag.Topic{
	Code:    "conf-pfc-half",
	Summary: "PFC or link pause in one direction only",
}

var topicSizes = diag.Topic{
	Code:    "conf-sizes",
	Summary: "PFC sizes contradict each other",
}

var topicHeadroom = diag.Topic{
	Code:    "conf-headroom",
	Summary: "PFC headroom too small",
}

var topicMemory = diag.Topic{
	Code:    "conf-memory",
	Summary: "more buffer promised than there is",
}

var topicCos3 = diag.Topic{
	Code:    "conf-cos-3",
	Summary: "cos 3 is lossless",
}

var topicStrict = diag.Topic{
	Code:    "conf-lossless-strict",
	Summary: "lossless traffic is served before all others",
}

var topicShared = diag.Topic{
	Code:    "conf-lossless-shared",
	Summary: "lossless traffic shares its priority group",
}

var topicMany = diag.Topic{
	Code:    "conf-lossless-many",
	Summary: "several lossless cos on one port",
}

var topicThresholds = diag.Topic{
	Code:    "conf-ecn-thresholds",
	Summary: "ECN thresholds that cannot work",
}

var topicRED = diag.Topic{
	Code:    "conf-red-lossless",
	Summary: "early drops in a lossless class",
}

var topicWeights = diag.Topic{
	Code:    "conf-weights",
	Summary: "weights of priority groups that share nothing",
}

var topicBandwidth = diag.Topic{
	Code:    "conf-bandwidth",
	Summary: "shares of the link that do not add up",
}

var topicPools = diag.Topic{
	Code:    "conf-pools",
	Summary: "memory pools that cannot work",
}

var topicShaper = diag.Topic{
	Code:    "conf-shaper",
	Summary: "rate limits that contradict each other",
}

var topicRemark = diag.Topic{
	Code:    "conf-remark",
	Summary: "lossless traffic is remarked",
}

var topicCutThrough = diag.Topic{
	Code:    "conf-cut-through",
	Summary: "link pause together with cut-through",
}

var topicWatchdog = diag.Topic{
	Code:    "conf-watchdog",
	Summary: "the PFC watchdog on ports without PFC",
}
