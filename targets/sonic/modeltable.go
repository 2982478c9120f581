package sonic

import "sync"

// models are the models that SONiC runs on, by their names in [platform.Switches]. Source: device/ of sonic-net/sonic-buildimage, August
// 2026. Port names are from port_config.ini of the default hwsku and from platform.json. since is the oldest branch with a folder for the
// model. Switches with several chips are omitted.
//
// If the hwskus of a model have different names, the table has the names of the default hwsku: for S5248F it is the hwsku for 10G, with
// Ethernet48 to Ethernet55 as the last ports.
var models = sync.OnceValue(func() map[string]model {
	return map[string]model{
		"sn2010": {
			platforms: "x86_64-mlnx_msn2010-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN2010",
		},
		"sn2100": {
			platforms: "x86_64-mlnx_msn2100-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN2100",
		},
		"sn2201": {
			platforms: "x86_64-nvidia_sn2201-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}}, aliases: letters,
			hwskus: "ACS-SN2201",
		},
		"sn2410": {
			platforms: "x86_64-mlnx_msn2410-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN2410",
		},
		"sn2700": {
			platforms: "x86_64-mlnx_msn2700-r0 x86_64-mlnx_msn2700a1-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN2700 Mellanox-SN2700 Mellanox-SN2700-C28D8 Mellanox-SN2700-D40C8S8 Mellanox-SN2700-D44C10 " +
				"Mellanox-SN2700-D48C8 ACS-MSN2700-A1 Mellanox-SN2700-A1 Mellanox-SN2700-A1-C28D8 Mellanox-SN2700-A1-D40C8S8 " +
				"Mellanox-SN2700-A1-D44C10 Mellanox-SN2700-A1-D48C8",
		},
		"sn2740": {
			platforms: "x86_64-mlnx_msn2740-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN2740",
		},
		"sn3420": {
			platforms: "x86_64-mlnx_msn3420-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN3420",
		},
		"sn3700": {
			platforms: "x86_64-mlnx_msn3700-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN3700",
		},
		"sn3700c": {
			platforms: "x86_64-mlnx_msn3700c-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN3700C",
		},
		"sn3800": {
			platforms: "x86_64-mlnx_msn3800-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN3800 Mellanox-SN3800-C64 Mellanox-SN3800-D100C12S2 Mellanox-SN3800-D112C8 Mellanox-SN3800-D24C52 " +
				"Mellanox-SN3800-D28C49S1 Mellanox-SN3800-D28C50",
		},
		"sn4280": {
			platforms: "x86_64-nvidia_sn4280-r0", since: 202405, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "Mellanox-SN4280-C48 Mellanox-SN4280-O28 Mellanox-SN4280-O4X96 Mellanox-SN4280-O8C40 Mellanox-SN4280-O8C80 " +
				"Mellanox-SN4280-O8V40",
		},
		"sn4410": {
			platforms: "x86_64-mlnx_msn4410-r0", since: 202205, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "ACS-MSN4410",
		},
		"sn4600": {
			platforms: "x86_64-mlnx_msn4600-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN4600",
		},
		"sn4600c": {
			platforms: "x86_64-mlnx_msn4600c-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "ACS-MSN4600C Mellanox-SN4600C-C64 Mellanox-SN4600C-D100C12S2 Mellanox-SN4600C-D112C8 Mellanox-SN4600C-D24C52 " +
				"Mellanox-SN4600C-D48C40",
		},
		"sn4700": {
			platforms: "x86_64-mlnx_msn4700-r0", since: 202205, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "ACS-MSN4700 Mellanox-SN4700-A96C8V8 Mellanox-SN4700-C128 Mellanox-SN4700-O28 Mellanox-SN4700-O32 " +
				"Mellanox-SN4700-O8C48 Mellanox-SN4700-O8V48 Mellanox-SN4700-V48C32 Mellanox-SN4700-V64",
		},
		"sn5400": {
			platforms: "x86_64-nvidia_sn5400-r0", since: 202311, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "ACS-SN5400",
		},
		"sn5600": {
			platforms: "x86_64-nvidia_sn5600-r0", since: 202205, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "ACS-SN5600 Mellanox-SN5600-C224O8 Mellanox-SN5600-C256S1 Mellanox-SN5600-O128 Mellanox-SN5600-V256",
		},
		"sn5610n": {
			platforms: "x86_64-nvidia_sn5610n-r0", since: 202505, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "Mellanox-SN5610N-C224O8 Mellanox-SN5610N-C256S2",
		},
		"sn5640": {
			platforms: "x86_64-nvidia_sn5640-r0", since: 202505, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "Mellanox-SN5640-C448O16 Mellanox-SN5640-C508O1X2 Mellanox-SN5640-C512S2 Mellanox-SN5640-C512X2 " +
				"Mellanox-SN5640-O128X2",
		},
		"sn6600": {
			platforms: "x86_64-nvidia_sn6600_ld-r0", since: 202511, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "ACS-SN6600_LD Mellanox-SN6600_LD-P128C2 Mellanox-SN6600_LD-P64O128C2",
		},
		"s5212f": {
			platforms: "x86_64-dellemc_s5212f_c3538-r0", since: 202205, names: []run{{1, 0, 1}, {13, 12, 4}},
			hwskus: "DellEMC-S5212f-P-25G",
		},
		"s5224f": {
			platforms: "x86_64-dellemc_s5224f_c3538-r0", since: 202205, names: []run{{1, 0, 1}, {25, 24, 4}},
			hwskus: "DellEMC-S5224f-P-25G",
		},
		"s5232f": {
			platforms: "x86_64-dellemc_s5232f_c3538-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "DellEMC-S5232f-C32 DellEMC-S5232f-C8D48 DellEMC-S5232f-P-100G DellEMC-S5232f-P-10G DellEMC-S5232f-P-25G",
		},
		"s5248f": {
			platforms: "x86_64-dellemc_s5248f_c3538-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "DellEMC-S5248f-P-10G DellEMC-S5248f-P-25G",
		},
		"s5296f": {
			platforms: "x86_64-dellemc_s5296f_c3538-r0", since: 202205, names: []run{{1, 0, 1}},
			hwskus: "DellEMC-S5296f-P-10G DellEMC-S5296f-P-25G",
		},
		"s6000": {
			platforms: "x86_64-dell_s6000_s1220-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Force10-S6000 Force10-S6000-Q20S48 Force10-S6000-Q24S32 Force10-S6000-Q28S16 Force10-S6000-Q32",
		},
		"s6100": {
			platforms: "x86_64-dell_s6100_c2538-r0", since: 202205, names: []run{{1, 0, 1}},
			hwskus: "Force10-S6100 Force10-S6100-T1",
		},
		"z9100": {
			platforms: "x86_64-dell_z9100_c2538-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Force10-Z9100 Force10-Z9100-C32 Force10-Z9100-C8D48",
		},
		"z9264f": {
			platforms: "x86_64-dellemc_z9264f_c3538-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "DellEMC-Z9264f-C64 DellEMC-Z9264f-C8D112 DellEMC-Z9264f-Q64",
		},
		"z9332f": {
			platforms: "x86_64-dellemc_z9332f_d1508-r0", since: 202205, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "DellEMC-Z9332f-C32 DellEMC-Z9332f-M-O16C64 DellEMC-Z9332f-O32",
		},
		"z9664f": {
			platforms: "x86_64-dell_z9664f-r0", since: 202505, names: []run{{1, 0, 4}},
			hwskus: "DellEMC-Z9664f-O64",
		},
		"z9864f": {
			platforms: "x86_64-dell_z9864f-r0", since: 202605, names: []run{{1, 0, 8}, {65, 512, 1}}, aliases: letters,
			hwskus: "Dell-Z9864f-O64",
		},
		"as5712-54x": {
			platforms: "x86_64-accton_as5712_54x-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "Accton-AS5712-54X",
		},
		"as5812-54x": {
			platforms: "x86_64-accton_as5812_54x-r0 x86_64-accton_as5812_54t-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "Accton-AS5812-54X Accton-AS5812-54T",
		},
		"as5835-54x": {
			platforms: "x86_64-accton_as5835_54x-r0 x86_64-accton_as5835_54t-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "Accton-AS5835-54X Accton-AS5835-54T",
		},
		"as6712-32x": {
			platforms: "x86_64-accton_as6712_32x-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Accton-AS6712-32X",
		},
		"as7312-54x": {
			platforms: "x86_64-accton_as7312_54x-r0 x86_64-accton_as7312_54xs-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "Accton-AS7312-54X Accton-AS7312-54XS",
		},
		"as7326-56x": {
			platforms: "x86_64-accton_as7326_56x-r0", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}},
			hwskus: "Accton-AS7326-56X",
		},
		"as7712-32x": {
			platforms: "x86_64-accton_as7712_32x-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Accton-AS7712-32X",
		},
		"as7716-32x": {
			platforms: "x86_64-accton_as7716_32x-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Accton-AS7716-32X",
		},
		"as7726-32x": {
			platforms: "x86_64-accton_as7726_32x-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Accton-AS7726-32X",
		},
		"as7816-64x": {
			platforms: "x86_64-accton_as7816_64x-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Accton-AS7816-64X",
		},
		"as9716-32d": {
			platforms: "x86_64-accton_as9716_32d-r0", since: 202205, names: []run{{1, 0, 8}},
			hwskus: "Accton-AS9716-32D",
		},
		"7050qx-32": {
			platforms: "x86_64-arista_7050_qx32", since: 202205, names: []run{{1, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7050-Q16S64 Arista-7050-QX32 Arista-7050-QX32-Flex",
		},
		"7050qx-32s": {
			platforms: "x86_64-arista_7050_qx32s", since: 202205, names: []run{{5, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7050-QX-32S Arista-7050QX-32S Arista-7050QX-32S-S4Q31 Arista-7050QX32S-Q32",
		},
		"7050cx3-32s": {
			platforms: "x86_64-arista_7050cx3_32s x86_64-arista_7050cx3_32c", since: 202205, names: []run{{1, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7050CX3-32S Arista-7050CX3-32S-C28S16 Arista-7050CX3-32S-C28S4 Arista-7050CX3-32S-C32 " +
				"Arista-7050CX3-32S-C6S104 Arista-7050CX3-32S-D48C8 Arista-7050CX3-32S-S128 Arista-7050CX3-32C-C28S16 " +
				"Arista-7050CX3-32C-C28S4 Arista-7050CX3-32C-C32 Arista-7050CX3-32C-C6S104 Arista-7050CX3-32C-D48C8 " +
				"Arista-7050CX3-32C-S128",
		},
		"7050sx3-48c8": {
			platforms: "x86_64-arista_7050sx3_48c8", since: 202205, names: []run{{1, 0, 1}, {49, 48, 4}}, aliases: lanes,
			hwskus: "Arista-7050SX3-48C8 Arista-7050SX3-48YC8",
		},
		"7050sx3-48yc8": {
			platforms: "x86_64-arista_7050sx3_48yc8 x86_64-arista_7050sx3_48yc8c", since: 202205,
			names: []run{{1, 0, 1}, {49, 48, 4}}, aliases: lanes,
			hwskus: "Arista-7050SX3-48YC8 Arista-7050SX3-48YC8-S48Q8 Arista-7050SX3-48YC8C Arista-7050SX3-48YC8C-S48Q8",
		},
		"7060cx-32s": {
			platforms: "x86_64-arista_7060_cx32s", since: 202205, names: []run{{1, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7060CX-32S Arista-7060CX-32S-C32 Arista-7060CX-32S-C32-T1 Arista-7060CX-32S-D48C8 Arista-7060CX-32S-Q24C8 " +
				"Arista-7060CX-32S-Q32 Arista-7060CX-32S-T96C8",
		},
		"7060cx2-32s": {
			platforms: "x86_64-arista_7060cx2_32s", since: 202205, names: []run{{1, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7060CX2-32S-C32",
		},
		"7060px4-32": {
			platforms: "x86_64-arista_7060px4_32 x86_64-arista_7060dx4_32", since: 202205, names: []run{{1, 0, 8}}, aliases: lanes,
			hwskus: "Arista-7060PX4-32 Arista-7060PX4-C64 Arista-7060PX4-O32 Arista-7060DX4-32 Arista-7060DX4-C32",
		},
		"7060dx5-32": {
			platforms: "x86_64-arista_7060dx5_32", since: 202305, names: []run{{1, 0, 8}}, aliases: lanes,
			hwskus: "Arista-7060DX5-32 Arista-7060DX5-32-100Gx48-400Gx8 Arista-7060DX5-32-200Gx48-100Gx32 " +
				"Arista-7060DX5-32-25Gx96-100Gx8-200Gx8",
		},
		"7060dx5-64s": {
			platforms: "x86_64-arista_7060dx5_64s x86_64-arista_7060px5_64s", since: 202305, names: []run{{1, 0, 8}}, aliases: lanes,
			hwskus: "Arista-7060DX5-64S Arista-7060PX5-64S",
		},
		"7060x6-32pe": {
			platforms: "x86_64-arista_7060x6_32pe", since: 202505, names: []run{{1, 0, 8}}, aliases: lanes,
			hwskus: "Arista-7060X6-32PE",
		},
		"7060x6-64de": {
			platforms: "x86_64-arista_7060x6_64de", since: 202311, names: []run{{1, 0, 8}}, aliases: lanes,
			hwskus: "Arista-7060X6-64DE Arista-7060X6-64DE-256x200G Arista-7060X6-64DE-64x400G Arista-7060X6-64DE-O128S2",
		},
		"7060x6-64pe": {
			platforms: "x86_64-arista_7060x6_64pe x86_64-arista_7060x6_64pe_b", since: 202311, names: []run{{1, 0, 8}}, aliases: letters,
			hwskus: "Arista-7060X6-64PE Arista-7060X6-64PE-256x200G Arista-7060X6-64PE-64x400G Arista-7060X6-64PE-C224O8 " +
				"Arista-7060X6-64PE-C256S2 Arista-7060X6-64PE-O128 Arista-7060X6-64PE-O128S2 Arista-7060X6-64PE-P32O64 " +
				"Arista-7060X6-64PE-P32V128 Arista-7060X6-64PE-P64 Arista-7060X6-64PE-B-C448O16 Arista-7060X6-64PE-B-C512S2 " +
				"Arista-7060X6-64PE-B-O128 Arista-7060X6-64PE-B-O128S2 Arista-7060X6-64PE-B-P28O72 Arista-7060X6-64PE-B-P32O64 " +
				"Arista-7060X6-64PE-B-P32V128 Arista-7060X6-64PE-B-P64",
		},
		"7260cx3-64": {
			platforms: "x86_64-arista_7260cx3_64", since: 202205, names: []run{{1, 0, 4}}, aliases: lanes,
			hwskus: "Arista-7260CX3-64 Arista-7260CX3-C64 Arista-7260CX3-D108C10 Arista-7260CX3-D108C8 Arista-7260CX3-D92C16 " +
				"Arista-7260CX3-D96C16 Arista-7260CX3-Q44 Arista-7260CX3-Q64",
		},
		"wedge100": {
			platforms: "x86_64-facebook_wedge100-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Facebook-W100-C32",
		},
		"seastone": {
			platforms: "x86_64-cel_seastone-r0", since: 202205, names: []run{{1, 0, 4}}, aliases: letters,
			hwskus: "Celestica-DX010-C32 Celestica-DX010-D48C8 Seastone-DX010 Seastone-DX010-10-50 Seastone-DX010-25-50 " +
				"Seastone-DX010-50 Seastone-DX010-50-40 Seastone-DX010-50-50-40",
		},
		"ag5648v1": {
			platforms: "x86_64-delta_ag5648-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Delta-ag5648",
		},
		"ag9032v1": {
			platforms: "x86_64-delta_ag9032v1-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Delta-ag9032v1",
		},
		"t7032-ix1": {
			platforms: "x86_64-quanta_ix1b_rglbmc-r0", since: 202205, names: []run{{1, 0, 4}},
			hwskus: "Quanta-IX1B-32X",
		},
	}
})
