package conflint

import "github.com/rocec/rocec/validate/settings"

// The codes of rules for every system. This package reports them where the keys of a file show more than the common form of settings does.
var (
	topicEgress        = settings.EgressLimited.Topic
	topicShared        = settings.LosslessShared.Topic
	topicNotifications = settings.CNPBulk.Topic
	topicRemark        = settings.Remark.Topic
	topicHeadroom      = settings.Headroom.Topic
	topicPools         = settings.Pools.Topic
	topicRED           = settings.RedLossless.Topic
	topicSizes         = settings.Sizes.Topic
	topicStrict        = settings.LosslessStrict.Topic
	topicThresholds    = settings.ECNThresholds.Topic
	topicUnmapped      = settings.ValueUnmapped.Topic
	topicUnmarked      = settings.LosslessDefault.Topic
)
