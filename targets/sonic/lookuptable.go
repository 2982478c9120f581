package sonic

// lookups are the public files of the hwskus of [models]. Hwskus with the same speeds and lengths share a row. "platform/hwsku" is a
// hwsku that has another file on that platform. Source: device/<vendor>/<platform>/<hwsku>/pg_profile_lookup.ini of
// sonic-net/sonic-buildimage, August 2026.
var lookups = []lookup{
	{
		rows: []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "ACS-MSN2010 ACS-MSN2100 ACS-MSN2410 ACS-MSN2700 ACS-MSN2700-A1 ACS-MSN2740 ACS-MSN3800 Arista-7050SX3-48C8 " +
			"Arista-7050SX3-48YC8 Arista-7060CX-32S Arista-7060CX-32S-C32 Arista-7060CX-32S-C32-T1 Arista-7060CX-32S-D48C8 " +
			"Arista-7060CX-32S-Q24C8 Arista-7060CX-32S-Q32 Arista-7060CX2-32S-C32 Celestica-DX010-C32 Celestica-DX010-D48C8 " +
			"DellEMC-S5212f-P-25G DellEMC-S5224f-P-25G DellEMC-S5232f-C32 DellEMC-S5232f-C8D48 DellEMC-S5232f-P-100G " +
			"DellEMC-S5232f-P-10G DellEMC-S5232f-P-25G DellEMC-Z9264f-C64 DellEMC-Z9264f-C8D112 DellEMC-Z9264f-Q64 " +
			"Force10-S6000 Force10-S6000-Q20S48 Force10-S6000-Q24S32 Force10-S6000-Q28S16 Force10-S6000-Q32 Force10-S6100 " +
			"Force10-S6100-T1 Force10-Z9100 Force10-Z9100-C32 Force10-Z9100-C8D48 Mellanox-SN2700-A1-D40C8S8 " +
			"Mellanox-SN2700-A1-D44C10 Mellanox-SN2700-D40C8S8 Mellanox-SN2700-D44C10",
	},
	{
		rows:   []lookupRow{{[]int{100, 1000, 10_000, 25_000, 40_000, 50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "ACS-SN2201",
	},
	{
		rows: []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000}, []int{5, 40, 300, 2000}}},
		hwskus: "Mellanox-SN2700 Mellanox-SN2700-A1 Mellanox-SN2700-A1-C28D8 Mellanox-SN2700-A1-D48C8 Mellanox-SN2700-C28D8 " +
			"Mellanox-SN2700-D48C8 Mellanox-SN3800-C64 Mellanox-SN3800-D100C12S2 Mellanox-SN3800-D112C8 " +
			"Mellanox-SN3800-D24C52 Mellanox-SN3800-D28C49S1 Mellanox-SN3800-D28C50 Mellanox-SN4600C-C64 " +
			"Mellanox-SN4600C-D100C12S2 Mellanox-SN4600C-D112C8 Mellanox-SN4600C-D48C40",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000}, []int{5, 40, 300}}},
		hwskus: "ACS-MSN3420 ACS-MSN3700 ACS-MSN3700C",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000}, []int{5, 30, 40, 300, 1500, 2000}}},
		hwskus: "Mellanox-SN4280-C48 Mellanox-SN4280-O8C40 Mellanox-SN4280-O8V40",
	},
	{
		rows: []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000}, []int{5, 40, 300, 1500, 2000}}},
		hwskus: "Mellanox-SN4280-O28 Mellanox-SN4280-O4X96 Mellanox-SN4280-O8C80 Mellanox-SN4700-O32 Mellanox-SN4700-O8C48 " +
			"Mellanox-SN4700-V64",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000}, []int{5, 40, 300}}},
		hwskus: "ACS-MSN4410 ACS-MSN4600 ACS-MSN4600C ACS-MSN4700 DellEMC-Z9664f-O64",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000}, []int{2, 5, 40, 300, 2000}}},
		hwskus: "Mellanox-SN4600C-D24C52",
	},
	{
		rows: []lookupRow{
			{[]int{10_000, 25_000, 40_000, 50_000, 100_000}, []int{5, 40, 300, 1500, 2000}},
			{[]int{200_000}, []int{5, 40, 300}},
			{[]int{400_000}, []int{5, 40, 300, 2000}},
		},
		hwskus: "Mellanox-SN4700-A96C8V8 Mellanox-SN4700-C128 Mellanox-SN4700-O28 Mellanox-SN4700-O8V48 Mellanox-SN4700-V48C32",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}, []int{5, 40, 300}}},
		hwskus: "ACS-SN5400 ACS-SN5600 Dell-Z9864f-O64 Mellanox-SN5600-O128 Mellanox-SN5600-V256",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}, []int{5, 40, 250, 1000}}},
		hwskus: "Mellanox-SN5600-C224O8 Mellanox-SN5610N-C224O8 Mellanox-SN5610N-C256S2",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}, []int{5, 40, 250, 300, 1000}}},
		hwskus: "Mellanox-SN5600-C256S1",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 50_000, 100_000, 200_000, 400_000}, []int{5, 30, 40, 250, 300, 1000}}},
		hwskus: "Mellanox-SN5640-C448O16 Mellanox-SN5640-C512S2",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000, 50_000, 100_000, 200_000, 400_000}, []int{5, 30, 40, 200, 250, 300, 1000}}},
		hwskus: "Mellanox-SN5640-C508O1X2 Mellanox-SN5640-C512X2 Mellanox-SN5640-O128X2",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 25_000}, []int{5}}, {[]int{100_000, 200_000, 400_000, 800_000}, []int{5, 40, 300}}},
		hwskus: "ACS-SN6600_LD Mellanox-SN6600_LD-P128C2 Mellanox-SN6600_LD-P64O128C2",
	},
	{
		noFile: true,
		hwskus: "Accton-AS5712-54X Accton-AS5812-54T Accton-AS5812-54X Accton-AS5835-54T Accton-AS5835-54X Accton-AS6712-32X " +
			"Accton-AS7312-54X Accton-AS7312-54XS Accton-AS7326-56X Accton-AS7712-32X Accton-AS7716-32X Accton-AS7726-32X " +
			"Accton-AS7816-64X Accton-AS9716-32D Arista-7050-Q16S64 Arista-7050CX3-32C-C28S16 Arista-7050CX3-32C-C6S104 " +
			"Arista-7050CX3-32C-S128 Arista-7050CX3-32S Arista-7050CX3-32S-C28S16 Arista-7050CX3-32S-C6S104 " +
			"Arista-7050CX3-32S-S128 Arista-7050QX-32S Arista-7050SX3-48YC8-S48Q8 Arista-7050SX3-48YC8C " +
			"Arista-7050SX3-48YC8C-S48Q8 Arista-7060CX-32S-T96C8 Arista-7060DX4-32 Arista-7060DX4-C32 Arista-7060DX5-32 " +
			"Arista-7060DX5-32-100Gx48-400Gx8 Arista-7060DX5-32-200Gx48-100Gx32 Arista-7060DX5-32-25Gx96-100Gx8-200Gx8 " +
			"Arista-7060DX5-64S Arista-7060PX4-32 Arista-7060PX4-C64 Arista-7060PX4-O32 Arista-7060PX5-64S " +
			"Arista-7060X6-64DE-256x200G Arista-7060X6-64PE-P32V128 Arista-7260CX3-64 DellEMC-S5248f-P-10G " +
			"DellEMC-S5248f-P-25G DellEMC-S5296f-P-10G DellEMC-S5296f-P-25G DellEMC-Z9332f-C32 Delta-ag5648 Delta-ag9032v1 " +
			"Facebook-W100-C32 Quanta-IX1B-32X Seastone-DX010 Seastone-DX010-10-50 Seastone-DX010-25-50 Seastone-DX010-50 " +
			"Seastone-DX010-50-40 Seastone-DX010-50-50-40 x86_64-arista_7050sx3_48yc8/Arista-7050SX3-48YC8",
	},
	{
		rows:   []lookupRow{{[]int{100_000, 400_000}, []int{5, 40, 300, 1000, 2000}}},
		hwskus: "DellEMC-Z9332f-M-O16C64 DellEMC-Z9332f-O32",
	},
	{
		rows:   []lookupRow{{[]int{1000, 10_000, 40_000, 50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "Arista-7050-QX-32S Arista-7050-QX32 Arista-7050-QX32-Flex Arista-7050QX-32S-S4Q31 Arista-7050QX32S-Q32",
	},
	{
		rows:   []lookupRow{{[]int{10_000, 50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "Arista-7050CX3-32C-C28S4 Arista-7050CX3-32S-C28S4",
	},
	{
		rows: []lookupRow{{[]int{50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "Arista-7050CX3-32C-C32 Arista-7050CX3-32C-D48C8 Arista-7050CX3-32S-C32 Arista-7050CX3-32S-D48C8 " +
			"Arista-7260CX3-D96C16",
	},
	{
		hwskus: "Arista-7060X6-32PE Arista-7060X6-64DE Arista-7060X6-64DE-64x400G Arista-7060X6-64DE-O128S2 Arista-7060X6-64PE " +
			"Arista-7060X6-64PE-64x400G Arista-7060X6-64PE-B-C448O16 Arista-7060X6-64PE-B-C512S2 Arista-7060X6-64PE-B-O128S2 " +
			"Arista-7060X6-64PE-B-P28O72 Arista-7060X6-64PE-C224O8 Arista-7060X6-64PE-C256S2 Arista-7060X6-64PE-P32O64 " +
			"Arista-7060X6-64PE-P64",
	},
	{
		rows:   []lookupRow{{[]int{100_000, 200_000}, []int{5, 40}}},
		hwskus: "Arista-7060X6-64PE-256x200G",
	},
	{
		rows:   []lookupRow{{[]int{400_000}, []int{5, 40, 150}}},
		hwskus: "Arista-7060X6-64PE-O128 Arista-7060X6-64PE-O128S2",
	},
	{
		rows:   []lookupRow{{[]int{100_000, 400_000}, []int{5, 30, 40, 60, 150, 500}}},
		hwskus: "Arista-7060X6-64PE-B-O128 x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-O128",
	},
	{
		rows:   []lookupRow{{[]int{100_000}, []int{500}}, {[]int{400_000}, []int{5, 30, 300, 500}}, {[]int{800_000}, []int{5, 40, 300}}},
		hwskus: "Arista-7060X6-64PE-B-P32O64 x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-P32O64",
	},
	{
		rows:   []lookupRow{{[]int{200_000}, []int{5, 300}}, {[]int{800_000}, []int{40, 300}}},
		hwskus: "Arista-7060X6-64PE-B-P32V128",
	},
	{
		rows:   []lookupRow{{[]int{800_000}, []int{5}}},
		hwskus: "Arista-7060X6-64PE-B-P64 x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-P64",
	},
	{
		rows: []lookupRow{{[]int{40_000, 50_000, 100_000}, []int{5, 40, 300}}},
		hwskus: "Arista-7260CX3-C64 Arista-7260CX3-D108C10 Arista-7260CX3-D108C8 Arista-7260CX3-D92C16 Arista-7260CX3-Q44 " +
			"Arista-7260CX3-Q64",
	},
}
