package lint

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/settings"
)

// Topics are the codes that only this package reports.
var Topics = []diag.Topic{
	topicText, topicValue, topicField, topicRef, topicTwice, topicEmpty, topicGroup, topicQueue, topicMap, topicAdmin, topicLookup,
	topicBuffers, topicWatchdog,
}

var topicText = diag.Topic{
	Code:    "conf-sonic-text",
	Summary: "text of a configuration of SONiC cannot be read",
}

var topicValue = diag.Topic{
	Code:    "conf-sonic-value",
	Summary: "the model of SONiC does not allow the value of a field",
}

var topicField = diag.Topic{
	Code:    "conf-sonic-field",
	Summary: "the release of SONiC has no such field or table",
}

var topicRef = diag.Topic{
	Code:    "conf-sonic-reference",
	Summary: "a row refers to a missing row",
}

var topicTwice = diag.Topic{
	Code:    "conf-sonic-twice",
	Summary: "two rows hold one port, queue or priority group, or a key occurs twice",
}

var topicEmpty = diag.Topic{
	Code:    "conf-sonic-empty",
	Summary: "a table of SONiC is empty",
}

var topicGroup = diag.Topic{
	Code:    "conf-sonic-lossless",
	Summary: "a priority with PFC has no lossless priority group",
}

var topicQueue = diag.Topic{
	Code:    "conf-sonic-queue",
	Summary: "a priority with PFC leaves by a queue that no pause stops",
}

var topicMap = diag.Topic{
	Code:    "conf-sonic-map",
	Summary: "marked traffic does not reach the class that has PFC",
}

var topicAdmin = diag.Topic{
	Code:    "conf-sonic-admin-status",
	Summary: "a port with PFC has no admin_status",
}

var topicLookup = diag.Topic{
	Code:    "conf-sonic-lookup",
	Summary: "a cable has a length for which the switch has no sizes",
}

var topicBuffers = diag.Topic{
	Code:    "conf-sonic-buffers",
	Summary: "buffers do not fit the port, or the buffer model of the switch",
}

var topicWatchdog = diag.Topic{
	Code:    "conf-sonic-watchdog",
	Summary: "the PFC watchdog watches other priorities than PFC has, or has wrong times",
}

// Codes of rules for all systems. This package reports them where the rows of a configuration contain more than settings do.
var (
	topicThresholds = settings.ECNThresholds.Topic
	topicUnmarked   = settings.Unmarked.Topic
	topicRemark     = settings.Remark.Topic
)
