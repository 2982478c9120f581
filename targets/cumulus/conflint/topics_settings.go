package conflint

import "github.com/rocec/rocec/validate/settings"

// Codes of rules that hold for every system. This package reports them where the keys of a file show more than settings do.
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
