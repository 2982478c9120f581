package conflint

import "github.com/rocec/rocec/lang/diag"

// The codes about the combined effect of settings.
var topicValueTwice = diag.Topic{
	Code:    "conf-value-twice",
	Summary: "a value is listed twice",
}

var topicUnreachable = diag.Topic{
	Code:    "conf-pfc-unreachable",
	Summary: "PFC or ECN on a cos no packet reaches",
}

var topicMoved = diag.Topic{
	Code:    "conf-cos-moved",
	Summary: "lossless traffic has another PCP than cos",
}

var topicHalf = diag.Topic{
	Code:    "conf-pfc-half",
	Summary: "PFC or link pause in one direction only",
}

var topicMemory = diag.Topic{
	Code:    "conf-memory",
	Summary: "groups promise more buffer than the chip has",
}

var topicCos3 = diag.Topic{
	Code:    "conf-cos-3",
	Summary: "cos 3 is lossless",
}

var topicMany = diag.Topic{
	Code:    "conf-lossless-many",
	Summary: "several lossless cos on one port",
}

var topicWeights = diag.Topic{
	Code:    "conf-weights",
	Summary: "weights of priority groups that give no useful shares",
}

var topicBandwidth = diag.Topic{
	Code:    "conf-bandwidth",
	Summary: "shares of queues above 100 percent, or none for a lossless queue",
}

var topicCutThrough = diag.Topic{
	Code:    "conf-cut-through",
	Summary: "link pause together with cut-through",
}

var topicWatchdog = diag.Topic{
	Code:    "conf-watchdog",
	Summary: "the PFC watchdog on ports without PFC",
}
