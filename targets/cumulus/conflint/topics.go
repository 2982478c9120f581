package conflint

import "github.com/rocec/rocec/lang/diag"

// Rules lists every code that this package reports about files of settings, except [lint.Unjudged].
var Rules = []diag.Topic{
	topicUnreadable, topicSyntax, topicDialect, topicMixed, topicForeign, topicUnknown,
	topicDuplicate, topicValue, topicUnlisted, topicUndefined, topicIncomplete, topicPort,
	topicPortTwice, topicPFCAndPause, topicPriorityGroup, topicCosTwice, topicCosMissing, topicValueTwice,
	topicUnmapped, topicUnreachable, topicMoved, topicUnmarked, topicHalf, topicSizes,
	topicHeadroom, topicMemory, topicCos3, topicStrict, topicShared, topicMany,
	topicThresholds, topicRED, topicBandwidth, topicWeights, topicPools, topicRemark,
	topicCutThrough, topicWatchdog, topicNotifications, topicTrusts, topicSchedulers, topicAbove, topicEgress,
}

var topicUnreadable = diag.Topic{
	Code:    "conf-unreadable",
	Summary: "the file cannot be read as settings",
}

var topicSyntax = diag.Topic{
	Code:    "conf-syntax",
	Summary: "a line that sets nothing",
}

var topicDialect = diag.Topic{
	Code:    Foreign,
	Summary: "not a file of any known release",
}

var topicMixed = diag.Topic{
	Code:    "conf-mixed-dialects",
	Summary: "keys of different releases in one file",
}

var topicForeign = diag.Topic{
	Code:    "conf-foreign-key",
	Summary: "a key of another release",
}

var topicUnknown = diag.Topic{
	Code:    "conf-unknown-key",
	Summary: "a key that no release has",
}

var topicDuplicate = diag.Topic{
	Code:    "conf-duplicate-key",
	Summary: "a key is set twice",
}

var topicValue = diag.Topic{
	Code:    "conf-value",
	Summary: "a value that the key cannot have",
}

var topicUnlisted = diag.Topic{
	Code:    Unlisted,
	Summary: "a port group that is not in force",
}

var topicUndefined = diag.Topic{
	Code:    "conf-group-undefined",
	Summary: "a listed port group is not defined",
}

var topicIncomplete = diag.Topic{
	Code:    "conf-group-incomplete",
	Summary: "a port group lacks a key",
}

var topicPort = diag.Topic{
	Code:    "conf-port",
	Summary: "a port set with a mistake in it",
}

var topicPortTwice = diag.Topic{
	Code:    "conf-port-twice",
	Summary: "a port in two groups of one feature",
}

var topicPFCAndPause = diag.Topic{
	Code:    "conf-pfc-and-pause",
	Summary: "PFC and link pause on one port",
}

var topicPriorityGroup = diag.Topic{
	Code:    "conf-priority-group",
	Summary: "priority groups and their list disagree",
}

var topicCosTwice = diag.Topic{
	Code:    "conf-cos-twice",
	Summary: "a cos in two priority groups",
}

var topicCosMissing = diag.Topic{
	Code:    "conf-cos-missing",
	Summary: "a cos in no priority group",
}
