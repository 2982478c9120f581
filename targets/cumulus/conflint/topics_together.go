package conflint

import "github.com/rocec/rocec/lang/diag"

// The codes about settings that are correct alone, but not beside others.

var topicTrusts = diag.Topic{
	Code:    "conf-two-trusts",
	Summary: "only the PCP leads to the lossless cos, but the DSCP decides",
}

var topicSchedulers = diag.Topic{
	Code:    "conf-two-schedulers",
	Summary: "weights of priority groups beside shares of queues",
}

var topicAbove = diag.Topic{
	Code:    "conf-strict-above",
	Summary: "unmarked traffic is served before RoCE",
}
