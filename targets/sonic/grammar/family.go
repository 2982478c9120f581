package grammar

import "strings"

// Family is a kind of chip under its name in the allow-list of patches: "spc3", "th2", "cisco-8000". Empty: the allow-list does not know
// the switch, and refuses every table that has entries.
type Family string

// known is a row of the allow-list's own table of switches.
type known struct {
	family Family
	since  Release
	before Release // the first branch that lacks it again; 0: none
	hwskus string
}

// families lists the switches that the allow-list knows, by the first branch that has them. Source: sonic-net/sonic-utilities,
// generic_config_updater/gcu_field_operation_validators.conf.json, helper_data, of each branch. A branch does not know a family that its
// helper_data contains and its get_asic_name never looks up: spc5 in 202411, spc6 in 202605.
var families = []known{
	{
		"spc1", 202205, 0,
		"ACS-MSN2700 ACS-MSN2740 ACS-MSN2100 ACS-MSN2410 ACS-MSN2010 Mellanox-SN2700 Mellanox-SN2700-D48C8",
	},
	{
		"spc1", 202305, 0,
		"Mellanox-SN2700-C28D8 Mellanox-SN2700-D40C8S8 Mellanox-SN2700-D44C10 ACS-MSN2700-A1 Mellanox-SN2700-A1 " +
			"Mellanox-SN2700-A1-C28D8 Mellanox-SN2700-A1-D40C8S8 Mellanox-SN2700-A1-D44C10 Mellanox-SN2700-A1-D48C8",
	},
	{"spc2", 202205, 0, "ACS-MSN3800 Mellanox-SN3800-D112C8"},
	{
		"spc2", 202305, 0,
		"ACS-MSN3420 ACS-MSN3700C ACS-MSN3700 Mellanox-SN3800-C64 Mellanox-SN3800-D100C12S2 Mellanox-SN3800-D24C52 " +
			"Mellanox-SN3800-D28C49S1 Mellanox-SN3800-D28C50",
	},
	{
		"spc3", 202205, 0,
		"ACS-MSN4700 ACS-MSN4600 ACS-MSN4600C ACS-MSN4410 Mellanox-SN4600C-D112C8 Mellanox-SN4600C-C64 Mellanox-SN4700-O8C48",
	},
	{
		"spc3", 202305, 0,
		"Mellanox-SN4600C-D100C12S2 Mellanox-SN4600C-D48C40 Mellanox-SN4700-A96C8V8 Mellanox-SN4700-C128 Mellanox-SN4700-O28 " +
			"Mellanox-SN4700-O8V48 Mellanox-SN4700-V48C32",
	},
	{"spc3", 202311, 0, "Mellanox-SN4700-O32 Mellanox-SN4700-V64"},
	{"spc3", 202405, 0, "ACS-SN4280 Mellanox-SN4280-O28"},
	{"spc3", 202411, 0, "Mellanox-SN4280-C48 Mellanox-SN4280-O8C40 Mellanox-SN4280-O8V40"},
	{"spc3", 202505, 0, "Mellanox-SN4280-O8C80"},
	{"spc3", 202511, 0, "Mellanox-SN4280-O4X96"},
	{"spc4", 202205, 0, "ACS-SN5600"},
	{"spc4", 202311, 0, "Mellanox-SN5600-O128 Mellanox-SN5600-V256 ACS-SN5400"},
	{"spc4", 202405, 0, "Mellanox-SN5600-C256S1 Mellanox-SN5600-C224O8"},
	{"spc4", 202411, 0, "Mellanox-SN5610N-C256S2 Mellanox-SN5610N-C224O8"},
	{"spc5", 202505, 0, "ACS-SN5640 Mellanox-SN5640-C512S2 Mellanox-SN5640-C448O16"},
	{"spc5", 202511, 0, "Mellanox-SN5640-C512X2 Mellanox-SN5640-C508O1X2 Mellanox-SN5640-O128X2"},

	{"td2", 202205, 0, "Force10-S6000 Force10-S6000-Q24S32 Arista-7050-QX32 Arista-7050-QX-32S Nexus-3164 Arista-7050QX32S-Q32"},
	{"td3", 202205, 0, "Arista-7050CX3-32S-C32 Arista-7050CX3-32S-D48C8"},
	{"td3", 202405, 0, "Arista-7050CX3-32S-C28S4"},
	{"td3", 202505, 0, "Arista-7050CX3-32C-C32"},
	{"td3", 202605, 0, "Arista-7050CX3-32C-C28S4"},
	{"td4", 202505, 0, "Nokia-IXR7220-D4-36D"},
	{
		"th", 202205, 0,
		"Force10-S6100 Arista-7060CX-32S-C32 Arista-7060CX-32S-C32-T1 Arista-7060CX-32S-D48C8 Celestica-DX010-C32 Seastone-DX010",
	},
	{"th2", 202205, 0, "Arista-7260CX3-D108C8 Arista-7260CX3-C64 Arista-7260CX3-Q64"},
	{"th2", 202405, 0, "Arista-7260CX3-D108C10"},
	{"th2", 202511, 202605, "Arista-7260CX3-Q44"},
	{"th3", 202405, 0, "Nokia-IXR7220-H3"},
	{"th4", 202405, 0, "Nokia-IXR7220-H4-64D Nokia-IXR7220-H4-32D"},
	{"th5", 202405, 0, "Nokia-IXR7220-H5-64D"},
	{"th5", 202411, 0, "Arista-7060X6-64DE Arista-7060X6-64PE"},
	{
		"th5", 202505, 0,
		"Arista-7060X6-64PE-C224O8 Arista-7060X6-64PE-C256S2 Nokia-IXR7220-H5-64O Nokia-IXR7220-H5-32D " +
			"Arista-7060X6-64PE-B-C512S2 Arista-7060X6-64PE-B-C448O16 Arista-7060X6-64PE-B-O128 Arista-7060X6-64PE-B-O128S2 " +
			"Arista-7060X6-16PE-384C-B-O128S2",
	},
	{
		"th5", 202511, 0,
		"Arista-7060X6-64PE-B-P32O64 Arista-7060X6-64PE-B-P64 Arista-7060X6-64PE-B-P32V128 Arista-7060X6-64PE-O128 " +
			"Arista-7060X6-64PE-O128S2 Arista-7060X6-64PE-P32O64 Arista-7060X6-64PE-P64 Arista-7060X6-64PE-P32V128",
	},
	{"th6", 202605, 0, "Nokia-IXR7220-H6-64 Nokia-IXR7220-H6-P128 Nokia-IXR7220-H6-O256"},
	{"j2c+", 202405, 0, "Nokia-IXR7250E-36x100G Nokia-IXR7250E-36x400G"},
	{"j2c+", 202505, 0, "Nokia-IXR7250-X3B"},
	{"j2c+", 202511, 0, "Arista-7800R3A-36DM2-D36"},
	{"jr2", 202511, 0, "Arista-7800R3-48CQ2-C48 Arista-7800R3-48CQM2-C48 Arista-7808R3A-FM"},
	{"q2c+", 202505, 0, "Nokia-IXR7250-X1B"},
	{"q3d", 202511, 0, "Arista-7280R4-32QF-32DF-64O Arista-7280R4K-32QF-32DF-64O"},
}

// FamilyOf returns the chip family that a release's allow-list finds for a switch, by asic_type in sonic_version.yml and its hwsku.
// For Mellanox the whole hwsku counts, for Broadcom a part is enough; case is ignored.
func FamilyOf(r Release, asicType, hwsku string) Family {
	switch {
	case asicType == "cisco-8000":
		return "cisco-8000"
	case asicType == "marvell-teralynx" && r >= 202511:
		return "marvell-teralynx"
	}
	hwsku = strings.ToLower(hwsku)
	nvidia, broadcom := asicType == "mellanox" || asicType == "vs", asicType == "broadcom" || asicType == "vs"
	for _, k := range families {
		if r < k.since || k.before != 0 && r >= k.before {
			continue
		}
		whole := strings.HasPrefix(string(k.family), "spc")
		for name := range strings.FieldsSeq(strings.ToLower(k.hwskus)) {
			if whole && nvidia && name == hwsku || !whole && broadcom && strings.Contains(hwsku, name) {
				return k.family
			}
		}
	}
	return ""
}
