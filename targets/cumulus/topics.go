package cumulus

import "github.com/rocec/rocec/lang/diag"

// topics is every code this target reports.
var topics = []diag.Topic{
	topicRelease, topicModel, topicFault, topicChip, topicTrust, topicNoPFC, topicNoECN, topicThresholds, topicDrops, topicECNGroups,
	topicLossless, topicCPU, topicCutThrough, topicWeights, topicBounce, topicPort, topicFile,
	topicMemoryWritten, topicMemoryPool, topicMemoryShared, topicMemorySmall, topicMemoryEgress, topicMemoryMarks, topicMemoryUnread,
	topicWriter, topicBeside,
}

var topicRelease = diag.Topic{
	Code:    "cumulus-release",
	Summary: "this release does not read the files that rocec writes",
}

var topicModel = diag.Topic{
	Code:    "cumulus-model",
	Summary: "this release does not run on this model",
}

var topicFault = diag.Topic{
	Code:    "cumulus-known-fault",
	Summary: "this release has a fault that concerns lossless traffic",
}

var topicChip = diag.Topic{
	Code:    "cumulus-chip",
	Summary: "the manual of this release does not list this chip",
}

var topicTrust = diag.Topic{
	Code:    "cumulus-trust",
	Summary: "this release cannot trust PCP and DSCP on one switch",
}

var topicNoPFC = diag.Topic{
	Code:    "cumulus-no-pfc",
	Summary: "this switch chip has no PFC on Cumulus Linux",
}

var topicNoECN = diag.Topic{
	Code:    "cumulus-no-ecn",
	Summary: "this switch cannot mark congestion (ECN)",
}

var topicThresholds = diag.Topic{
	Code:    "cumulus-ecn-thresholds",
	Summary: "this release documents no keys for ECN thresholds",
}

var topicDrops = diag.Topic{
	Code:    "cumulus-ecn-drops",
	Summary: "marking on this chip also drops packets that cannot be marked",
}

var topicECNGroups = diag.Topic{
	Code:    "cumulus-ecn-groups",
	Summary: "two groups with different ECN thresholds share a port",
}

var topicLossless = diag.Topic{
	Code:    "cumulus-lossless-groups",
	Summary: "a port carries several lossless groups",
}

var topicCPU = diag.Topic{
	Code:    "cumulus-cos-3",
	Summary: "on Broadcom cos 3 is reserved for the switch's CPU",
}

var topicCutThrough = diag.Topic{
	Code:    "cumulus-cut-through",
	Summary: "link pause and cut-through cannot be combined on Broadcom",
}

var topicWeights = diag.Topic{
	Code:    "cumulus-weights",
	Summary: "groups of different weight share one priority group",
}

var topicBounce = diag.Topic{
	Code:    "cumulus-bounce",
	Summary: "the switch does not move bounced traffic by itself",
}

var topicPort = diag.Topic{
	Code:    "cumulus-port",
	Summary: "traffic.conf cannot name this port",
}

var topicFile = diag.Topic{
	Code:    "cumulus-file",
	Summary: "the traffic.conf on the switch cannot be edited safely",
}
