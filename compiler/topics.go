package compiler

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// Topics is the table of codes the compiler reports, sorted.
var Topics = sortedTopics(
	topicUnknownModel, topicModelInvalid, topicVersionInvalid, topicTierInvalid,
	topicUnknownDevice, topicUnknownInterface, topicUnknownPort, topicPortTwice, topicPortSplit,
	topicLinkToItself, topicLinkHosts, topicLinkBond, topicSpeed, topicLengthMissing, topicRoutingMissing, topicASNMissing,
	topicUnknownMember, topicMemberOff, topicBondInvalid,
	topicTableName, topicTableTwice, topicTablePort, topicTableMissing, topicTableTooLarge, topicRoutingLoop, topicNoRoute,
	topicLockChanged, topicLockIncomplete, topicWrittenByHand,
	topicMemoryByHand, topicConfigInvalid, topicNICParameter,
)

func sortedTopics(all ...*diag.Topic) []diag.Topic {
	out := make([]diag.Topic, len(all))
	for i, t := range all {
		out[i] = *t
	}
	slices.SortFunc(out, func(a, b diag.Topic) int { return strings.Compare(a.Code, b.Code) })
	return out
}

var (
	topicUnknownModel = &diag.Topic{Code: "unknown-model", Summary: "there is no such hardware model"}

	topicModelInvalid = &diag.Topic{Code: "model-invalid", Summary: "the declared hardware cannot exist"}

	topicVersionInvalid = &diag.Topic{Code: "version-invalid", Summary: "the stated release is not valid"}

	topicTierInvalid = &diag.Topic{Code: "tier-invalid", Summary: "a tier is below the hosts"}

	topicUnknownDevice = &diag.Topic{Code: "unknown-device", Summary: "there is no such device"}

	topicUnknownInterface = &diag.Topic{Code: "unknown-interface", Summary: "the interface has no nic block"}

	topicUnknownPort = &diag.Topic{Code: "unknown-port", Summary: "the switch has no such port"}

	topicPortTwice = &diag.Topic{Code: "port-used-twice", Summary: "a port is used twice"}

	topicPortSplit = &diag.Topic{Code: "port-split-and-whole", Summary: "a port is used whole and split"}

	topicLinkToItself = &diag.Topic{Code: "link-to-itself", Summary: "a cable runs from a device to itself"}

	topicLinkHosts = &diag.Topic{Code: "link-between-hosts", Summary: "a cable runs between two hosts"}

	topicLinkBond = &diag.Topic{Code: "link-bond", Summary: "the cables cannot be one bond"}

	topicSpeed = &diag.Topic{Code: "speed-mismatch", Summary: "a port cannot run at this speed"}

	topicLengthMissing = &diag.Topic{Code: "cable-length-missing", Summary: "a lossless link has no length"}

	topicRoutingMissing = &diag.Topic{Code: "routing-missing", Summary: "a lossless group crosses a ring and no routing is stated"}

	topicASNMissing = &diag.Topic{Code: "asn-missing", Summary: "a switch has no AS number"}

	topicUnknownMember = &diag.Topic{Code: "unknown-member", Summary: "there is no such member"}

	topicMemberOff = &diag.Topic{Code: "member-without-roce", Summary: "a member has RoCE switched off"}

	topicBondInvalid = &diag.Topic{Code: "bond-invalid", Summary: "the bond cannot carry RoCE"}
)
