package validate

// Checks is the table: every check rocec knows, in the order they are documented.
var Checks = []*Check{
	PFCLoop,
	PFCLoopUnknown,
	PFCLoopTransient,
	UpDownNoPath,
	RoCEMembers,
	RoCEVersionMix,
	RoCEv1Routed,
	RoCEv1NoVLAN,
	RoCEv1NotLossless,
	RoCEv2NoECN,
	RoCEv2NoDSCP,
	RoCEv2NoCNP,
	CNPInLosslessGroup,
	LosslessDefault,
	DSCPClaimedTwice,
	CosClaimedTwice,
	PCPClaimedTwice,
	MTUMismatch,
	HeadroomTooSmall,
	PFCSizes,
	ECNThresholds,
}
