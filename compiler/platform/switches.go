package platform

// Switches is the table of switch models, by maker and name.
//
// Ports are the front panel, numbered from 1 onwards, with the speed of the whole port and the number of ports it can be split into.
// Sources: "SONiC" is the SONiC project's table of supported devices. "MLX" is the mlxsw driver's release notes with the models it was
// tested on. "UM" is the maker's hardware user manual. "NetBox" is the NetBox device type library. "CL x.y" is the switch port chapter of
// that Cumulus Linux manual. The chip of every SN model is also in SONiC's asic_table.j2.
//
// The SN4800 is left out on purpose: its ports depend on its line cards. A switch_model block describes it.
var Switches = []*Switch{
	{
		Name: "sn2010", Title: "Mellanox SN2010", ASIC: asic("spectrum"), Ports: []PortRange{sfp28(1, 18), qsfp28(19, 22)},
		Parts:  msn("2010"),
		Source: "SONiC, MLX: 18 SFP28, 4 QSFP28",
	},
	{
		Name: "sn2100", Title: "Mellanox SN2100", ASIC: asic("spectrum"), Ports: []PortRange{qsfp28(1, 16)},
		Parts:   msn("2100"),
		Aliases: []string{"sn2100b"}, Source: "SONiC, MLX: 16 QSFP28",
	},
	{
		Name: "sn2201", Title: "NVIDIA SN2201", ASIC: asic("spectrum"), Ports: []PortRange{{1, 48, 1_000, 1}, qsfp28(49, 52)},
		Parts:  msn("2201"),
		Source: "NetBox: 48 1000BASE-T, 4 QSFP28",
	},
	{
		Name: "sn2410", Title: "Mellanox SN2410", ASIC: asic("spectrum"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 56)},
		Parts:     msn("2410"),
		PairSplit: 4, OddSplit: true, Aliases: []string{"sn2410b"}, Source: "CL 3.7 on splitting; SONiC, MLX: 48 SFP28, 8 QSFP28",
	},
	{
		Name: "sn2700", Title: "Mellanox SN2700", ASIC: asic("spectrum"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:     msn("2700"),
		PairSplit: 4, OddSplit: true, Aliases: []string{"sn2700b"}, Source: "CL 3.7 on splitting; SONiC, MLX: 32 QSFP28",
	},
	{
		Name: "sn2740", Title: "Mellanox SN2740", ASIC: asic("spectrum"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  msn("2740"),
		Source: "MLX: 32 QSFP28",
	},
	{
		Name: "sn3420", Title: "Mellanox SN3420", ASIC: asic("spectrum2"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 60)},
		Parts:  msn("3420"),
		Source: "SONiC, MLX: 48 SFP28, 12 QSFP28",
	},
	{
		Name: "sn3700", Title: "Mellanox SN3700", ASIC: asic("spectrum2"), Ports: []PortRange{qsfp56(1, 32)},
		Parts:  []string{"MSN3700-VS*"},
		Source: "SONiC, MLX: 32 ports of 200G",
	},
	{
		Name: "sn3700c", Title: "Mellanox SN3700C", ASIC: asic("spectrum2"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  []string{"MSN3700-CS*"},
		Source: "SONiC, MLX: 32 QSFP28",
	},
	{
		Name: "sn3750sx", Title: "NVIDIA SN3750-SX", ASIC: asic("spectrum2"), Ports: []PortRange{qsfp56(1, 32)},
		Source: "CL 5.6: 200G Spectrum-2; 32 ports: public",
	},
	{
		Name: "sn3800", Title: "Mellanox SN3800", ASIC: asic("spectrum2gearbox"), Ports: []PortRange{qsfp28(1, 64)},
		Parts:  msn("3800"),
		Source: "SONiC, MLX: 64 QSFP28",
	},
	{
		Name: "sn4280", Title: "NVIDIA SN4280", ASIC: asic("spectrum3"), Ports: []PortRange{qsfpdd(1, 28)},
		Source: "SONiC Mellanox-SN4280-O28: 28 ports of 400G",
	},
	{
		Name: "sn4410", Title: "NVIDIA SN4410", ASIC: asic("spectrum3"), Ports: []PortRange{{1, 24, 200_000, 8}, qsfpdd(25, 32)},
		Parts:     msn("4410"),
		PairSplit: 8, Source: "UM: 24 QSFP28-DD of 2x100G, 8 QSFP-DD of 400G; CL 5.14 on splitting",
	},
	{
		Name: "sn4600", Title: "NVIDIA SN4600", ASIC: asic("spectrum3"), Ports: []PortRange{qsfp56(1, 64)},
		Parts:     []string{"MSN4600-VS*"},
		PairSplit: 4, Source: "UM: 64 QSFP56; CL 5.14 on splitting",
	},
	{
		Name: "sn4600c", Title: "NVIDIA SN4600C", ASIC: asic("spectrum3"), Ports: []PortRange{qsfp28(1, 64)},
		Parts:     []string{"MSN4600-CS*"},
		PairSplit: 4, Source: "SONiC, MLX: 64 QSFP28; CL 5.14 on splitting",
	},
	{
		Name: "sn4700", Title: "NVIDIA SN4700", ASIC: asic("spectrum3"), Ports: []PortRange{qsfpdd(1, 32)},
		Parts:     msn("4700"),
		PairSplit: 8, Source: "SONiC: 32 ports of 400G; CL 5.14 on splitting",
	},
	{
		Name: "sn5400", Title: "NVIDIA SN5400", ASIC: asic("spectrum4"), Ports: []PortRange{qsfpdd(1, 64), sfp28(65, 65)},
		PairSplit: 8, OddSplit: true, Source: "UM: 64 ports of 400G, 8 lanes of 50G, and a service port; CL 5.14 on splitting",
	},
	{
		Name: "sn5600", Title: "NVIDIA SN5600", ASIC: asic("spectrum4"), Ports: []PortRange{osfp(1, 64), sfp28(65, 65)},
		Parts:     []string{"920-9N42F-00RI-[57]*"},
		PairSplit: 8, Source: "UM: 64 ports of 800G, 8 lanes of 100G, and a service port; CL 5.14 on splitting",
	},
	{
		Name: "sn5600d", Title: "NVIDIA SN5600D", ASIC: asic("spectrum4"), Ports: []PortRange{osfp(1, 64), sfp28(65, 65)},
		PairSplit: 8, Source: "CL 5.13, 5.14: the SN5600 for direct current",
	},
	{
		Name: "sn5610", Title: "NVIDIA SN5610", ASIC: asic("spectrum4"), Ports: []PortRange{osfp(1, 64), sfp28(65, 66)},
		Parts:  []string{"920-9N42F-00RI-3*"},
		Source: "CL 5.13.1: 800G Spectrum-4; ports as of the SN5610N",
	},
	{
		Name: "sn5610n", Title: "NVIDIA SN5610N", ASIC: asic("spectrum4"), Ports: []PortRange{osfp(1, 64), sfp28(65, 66)},
		Source: "SONiC Mellanox-SN5610N-C256S2: 64 ports of 800G and two service ports",
	},
	{
		Name: "sn5640", Title: "NVIDIA SN5640", ASIC: asic("spectrum5"), Ports: []PortRange{osfp(1, 64), sfp28(65, 66)},
		Source: "SONiC Mellanox-SN5640-C512S2: 64 ports of 800G and two service ports",
	},
	// A cage has eight lanes of 200G. SONiC runs it as one or two ports of at most 800G.
	{
		Name: "sn6600", Title: "NVIDIA SN6600", ASIC: asic("spectrum6"), Ports: []PortRange{{1, 64, Unsized, 8}},
		Aliases: []string{"sn6600_ld"}, Source: "SONiC ACS-SN6600_LD: 64 cages, each 1 or 2 ports of 800G",
	},

	// Dell. The manuals disagree on the S6000: its ports.conf says Trident II, one sentence says II+; the chip is the former.
	{
		Name: "s3048", Title: "Dell S3048-ON", ASIC: asic("helix4"), Ports: []PortRange{{1, 48, 1_000, 1}, sfpplus(49, 52)},
		Source: "48 1000BASE-T, 4 SFP+: public",
	},
	{
		Name: "s4048", Title: "Dell S4048-ON", ASIC: asic("trident2"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 54)},
		Source: "48 SFP+, 6 QSFP+: public",
	},
	{
		Name: "s4048t", Title: "Dell S4048T-ON", ASIC: asic("trident2plus"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 54)},
		Source: "48 10GBASE-T, 6 QSFP+: public",
	},
	{
		Name: "s5048f", Title: "Dell S5048F-ON", ASIC: asic("tomahawkplus"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 54)},
		Source: "48 SFP28, 6 QSFP28: public",
	},
	{
		Name: "s5212f", Title: "Dell S5212F-ON", ASIC: asic("trident3"), Ports: []PortRange{sfp28(1, 12), qsfp28(13, 15)},
		Source: "SONiC DellEMC-S5212f-P-25G: 12x25G, 3x100G",
	},
	{
		Name: "s5224f", Title: "Dell S5224F-ON", ASIC: asic("trident3"), Ports: []PortRange{sfp28(1, 24), qsfp28(25, 28)},
		Source: "SONiC DellEMC-S5224f-P-25G: 24x25G, 4x100G",
	},
	{
		Name: "s5232f", Title: "Dell S5232F-ON", ASIC: asic("trident3"), Ports: []PortRange{qsfp28(1, 32)},
		Source: "SONiC; CL 3.7: the two 10G ports are not supported",
	},
	// The two double-density ports run one 100G cable each, as swp49 and swp52.
	{
		Name: "s5248f", Title: "Dell S5248F-ON", ASIC: asic("trident3"),
		Ports:  []PortRange{sfp28(1, 48), qsfp28(49, 49), qsfp28(52, 52), qsfp28(53, 56)},
		Source: "SONiC; CL 3.7 on swp49 and swp52",
	},
	{
		Name: "s5296f", Title: "Dell S5296F-ON", ASIC: asic("trident3"), Ports: []PortRange{sfp28(1, 96), qsfp28(97, 104)},
		Source: "SONiC DellEMC-S5296f-P-25G: 96x25G, 8x100G",
	},
	{
		Name: "s6000", Title: "Dell S6000-ON", ASIC: asic("trident2"), Ports: []PortRange{qsfpplus(1, 32)},
		Source: "SONiC: 32 QSFP+; chip: CL 3.4.3 ports.conf",
	},
	{
		Name: "s6010", Title: "Dell S6010-ON", ASIC: asic("trident2plus"), Ports: []PortRange{qsfpplus(1, 32)},
		Source: "32 QSFP+: public",
	},
	{
		Name: "s6100", Title: "Dell S6100-ON", ASIC: asic("tomahawk"), Ports: []PortRange{qsfpplus(1, 64)},
		Source: "SONiC: with four modules of 16 QSFP+; other modules need a switch_model",
	},
	// CL 3.7: the two SFP+ ports swp33 and swp34 are disabled.
	{
		Name: "z9100", Title: "Dell Z9100-ON", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Source: "SONiC: 32 QSFP28; CL 3.7 on swp33 and swp34",
	},
	{
		Name: "z9264f", Title: "Dell Z9264F-ON", ASIC: asic("tomahawk2"), Ports: []PortRange{qsfp28(1, 64)},
		Source: "SONiC: 64 QSFP28",
	},
	{
		Name: "z9332f", Title: "Dell Z9332F-ON", ASIC: asic("tomahawk3"), Ports: []PortRange{qsfpdd(1, 32)},
		Source: "SONiC DellEMC-Z9332f-O32: 32x400G; the two 10G ports are left out",
	},
	{
		Name: "z9664f", Title: "Dell Z9664F-ON", ASIC: asic("tomahawk4"), Ports: []PortRange{{1, 64, 400_000, 4}},
		Source: "SONiC DellEMC-Z9664f-O64: 64x400G, 4 lanes of 100G; the two 10G ports are left out",
	},
	{
		Name: "z9864f", Title: "Dell Z9864F-ON", ASIC: asic("tomahawk5"), Ports: []PortRange{osfp(1, 64), sfp28(65, 66)},
		Source: "SONiC Dell-Z9864f-O64: 64x800G, 2x25G",
	},

	// Edgecore (Accton).
	{
		Name: "as4610-54t", Title: "Edgecore AS4610-54T", ASIC: asic("helix4"), Ports: []PortRange{{1, 48, 1_000, 1}, sfpplus(49, 52)},
		Parts:   acctonTwo("4610-54T", "4610-54P"),
		Aliases: []string{"as4610-54p"}, Source: "48 1000BASE-T, 4 SFP+; the two stacking ports are left out: public",
	},
	{
		Name: "as5600-52x", Title: "Edgecore AS5600-52X", ASIC: asic("tridentplus"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 52)},
		Parts:  accton("5600-52X"),
		Source: "Open Network Linux: 48x10G, 4x40G, BCM56846",
	},
	{
		Name: "as5610-52x", Title: "Edgecore AS5610-52X", ASIC: asic("tridentplus"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 52)},
		Parts:  accton("5610-52X"),
		Source: "Open Network Linux: 48x10G, 4x40G, BCM56846",
	},
	{
		Name: "as5712-54x", Title: "Edgecore AS5712-54X", ASIC: asic("trident2"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 54)},
		Parts:  accton("5712-54X"),
		Source: "SONiC (counted as 72x10G), Open Network Linux for its twin AS5710-54X: 48x10G, 6x40G",
	},
	{
		Name: "as5812-54x", Title: "Edgecore AS5812-54X", ASIC: asic("trident2plus"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 54)},
		Parts:   acctonTwo("5812-54X", "5812-54T"),
		Aliases: []string{"as5812-54t"}, Source: "SONiC (counted as 72x10G): 48x10G, 6x40G",
	},
	{
		Name: "as5835-54x", Title: "Edgecore AS5835-54X", ASIC: asic("trident3"), Ports: []PortRange{sfpplus(1, 48), qsfp28(49, 54)},
		Parts:   acctonTwo("5835-54X", "5835-54T"),
		Aliases: []string{"as5835-54t"}, Source: "SONiC: 48x10G, 6x100G",
	},
	{
		Name: "as6712-32x", Title: "Edgecore AS6712-32X", ASIC: asic("trident2"), Ports: []PortRange{qsfpplus(1, 32)},
		Parts:   acctonTwo("6712-32X", "6700-32X"),
		Aliases: []string{"as6700-32x"}, Source: "SONiC: 32x40G",
	},
	{
		Name: "as7312-54x", Title: "Edgecore AS7312-54X", ASIC: asic("tomahawkplus"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 54)},
		Parts:   acctonTwo("7312-54X", "7312-54XS"),
		Aliases: []string{"as7312-54xs"}, Source: "SONiC: 48x25G, 6x100G",
	},
	// CL 3.7: its two 10G ports are not supported.
	{
		Name: "as7326-56x", Title: "Edgecore AS7326-56X", ASIC: asic("trident3"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 56)},
		Parts:  accton("7326-56X"),
		Source: "SONiC, CL 3.7: 48x25G, 8x100G",
	},
	{
		Name: "as7712-32x", Title: "Edgecore AS7712-32X", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  accton("7712-32X"),
		Source: "SONiC: 32x100G",
	},
	{
		Name: "as7716-32x", Title: "Edgecore AS7716-32X", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  accton("7716-32X"),
		Source: "SONiC: 32x100G",
	},
	{
		Name: "as7726-32x", Title: "Edgecore AS7726-32X", ASIC: asic("trident3"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  accton("7726-32X"),
		Source: "SONiC: 32x100G",
	},
	{
		Name: "as7816-64x", Title: "Edgecore AS7816-64X", ASIC: asic("tomahawk2"), Ports: []PortRange{qsfp28(1, 64)},
		Parts:  accton("7816-64X"),
		Source: "SONiC: 64x100G",
	},
	{
		Name: "as9716-32d", Title: "Edgecore AS9716-32D", ASIC: asic("tomahawk3"), Ports: []PortRange{qsfpdd(1, 32)},
		Parts:  accton("9716-32D"),
		Source: "SONiC: 32x400G",
	},

	// Arista models for which SONiC has a folder. Service ports of 10G are left out.
	{
		Name: "7050qx-32", Title: "Arista 7050QX-32", ASIC: asic("trident2"), Ports: []PortRange{qsfpplus(1, 32)},
		Parts:  dcs("7050QX-32"),
		Source: "SONiC Arista-7050-QX32: 32x40G",
	},
	// Ports 1 to 4 are SFP+ and share their lanes with the first QSFP+, port 5.
	{
		Name: "7050qx-32s", Title: "Arista 7050QX-32S", ASIC: asic("trident2"), Ports: []PortRange{qsfpplus(5, 36)},
		Parts:  dcs("7050QX-32S"),
		Source: "SONiC Arista-7050QX32S-Q32: 32x40G, numbered from 5",
	},
	{
		Name: "7050cx3-32s", Title: "Arista 7050CX3-32S", ASIC: asic("trident3"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:   dcsTwo("7050CX3-32S", "7050CX3-32C"),
		Aliases: []string{"7050cx3-32c"}, Source: "SONiC Arista-7050CX3-32S-C32, Arista-7050CX3-32C-C32: 32x100G",
	},
	{
		Name: "7050sx3-48c8", Title: "Arista 7050SX3-48C8", ASIC: asic("trident3"), Ports: []PortRange{sfpplus(1, 48), qsfp28(49, 56)},
		Parts:  dcs("7050SX3-48C8"),
		Source: "SONiC Arista-7050SX3-48C8: 48x10G, 8x100G",
	},
	{
		Name: "7050sx3-48yc8", Title: "Arista 7050SX3-48YC8", ASIC: asic("trident3"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 56)},
		Parts:   dcsTwo("7050SX3-48YC8", "7050SX3-48YC8C"),
		Aliases: []string{"7050sx3-48yc8c"}, Source: "SONiC Arista-7050SX3-48YC8: 48x25G, 8x100G",
	},
	{
		Name: "7060cx-32s", Title: "Arista 7060CX-32S", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  dcs("7060CX-32S"),
		Source: "SONiC Arista-7060CX-32S-C32: 32x100G",
	},
	{
		Name: "7060cx2-32s", Title: "Arista 7060CX2-32S", ASIC: asic("tomahawkplus"), Ports: []PortRange{qsfp28(1, 32)},
		Parts:  dcs("7060CX2-32S"),
		Source: "SONiC Arista-7060CX2-32S-C32: 32x100G; chip by its buffer of 22 MB: public",
	},
	{
		Name: "7060px4-32", Title: "Arista 7060PX4-32", ASIC: asic("tomahawk3"), Ports: []PortRange{qsfpdd(1, 32)},
		Parts:   dcsTwo("7060PX4-32", "7060DX4-32"),
		Aliases: []string{"7060dx4-32"}, Source: "SONiC Arista-7060PX4-O32, Arista-7060DX4-32: 32x400G",
	},
	{
		Name: "7060dx5-32", Title: "Arista 7060DX5-32", ASIC: asic("tomahawk4"), Ports: []PortRange{qsfpdd(1, 32)},
		Parts:  dcs("7060DX5-32"),
		Source: "SONiC Arista-7060DX5-32: 32x400G",
	},
	{
		Name: "7060dx5-64s", Title: "Arista 7060DX5-64S", ASIC: asic("tomahawk4"), Ports: []PortRange{qsfpdd(1, 64)},
		Parts:   dcsTwo("7060DX5-64S", "7060PX5-64S"),
		Aliases: []string{"7060px5-64s"}, Source: "SONiC Arista-7060DX5-64S, Arista-7060PX5-64S: 64x400G",
	},
	{
		Name: "7060x6-32pe", Title: "Arista 7060X6-32PE", ASIC: asic("tomahawk5"), Ports: []PortRange{osfp(1, 32)},
		Parts:  dcs("7060X6-32PE"),
		Source: "SONiC Arista-7060X6-32PE: 32x800G",
	},
	{
		Name: "7060x6-64de", Title: "Arista 7060X6-64DE", ASIC: asic("tomahawk5"), Ports: []PortRange{osfp(1, 64)},
		Parts:  dcs("7060X6-64DE"),
		Source: "SONiC Arista-7060X6-64DE: 64x800G",
	},
	{
		Name: "7060x6-64pe", Title: "Arista 7060X6-64PE", ASIC: asic("tomahawk5"), Ports: []PortRange{osfp(1, 64)},
		Parts:   dcsTwo("7060X6-64PE", "7060X6-64PE-B"),
		Aliases: []string{"7060x6-64pe-b"}, Source: "SONiC Arista-7060X6-64PE, Arista-7060X6-64PE-B-P64: 64x800G",
	},
	{
		Name: "7260cx3-64", Title: "Arista 7260CX3-64", ASIC: asic("tomahawk2"), Ports: []PortRange{qsfp28(1, 64)},
		Parts:  dcs("7260CX3-64"),
		Source: "SONiC Arista-7260CX3-C64: 64x100G",
	},

	// Other models of the Cumulus hardware list.
	{
		Name: "wedge100", Title: "Facebook Wedge 100-32X", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Aliases: []string{"wedge100-32x"}, Source: "SONiC: 32x100G",
	},
	{
		Name: "seastone", Title: "Celestica Seastone DX010", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Aliases: []string{"dx010"}, Source: "SONiC: 32x100G",
	},
	{
		Name: "ag5648v1", Title: "Delta AG5648v1", ASIC: asic("tomahawkplus"), Ports: []PortRange{sfp28(1, 48), qsfp28(49, 54)},
		Aliases: []string{"ag5648"}, Source: "SONiC: 48x25G, 6x100G",
	},
	{
		Name: "ag9032v1", Title: "Delta AG9032v1", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Source: "SONiC: 32x100G",
	},
	// CL 3.7: the SFP+ ports swp33 and swp34 are disabled.
	{
		Name: "arctica3200c", Title: "Penguin Arctica 3200c", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Source: "32 QSFP28: public; CL 3.7 on swp33 and swp34",
	},
	{
		Name: "arctica3200xl", Title: "Penguin Arctica 3200XL", ASIC: asic("trident2"), Ports: []PortRange{qsfpplus(1, 32)},
		Source: "32 QSFP+: public; CL 3.7 on swp33 and swp34",
	},
	{
		Name: "t3048-ly2", Title: "Quanta T3048-LY2", ASIC: asic("tridentplus"), Ports: []PortRange{sfpplus(1, 48), qsfpplus(49, 52)},
		Source: "Open Network Linux: 48x10G, 4x40G, BCM56846",
	},
	{
		Name: "t7032-ix1", Title: "Quanta T7032-IX1", ASIC: asic("tomahawk"), Ports: []PortRange{qsfp28(1, 32)},
		Aliases: []string{"t7032-ix1b"}, Source: "SONiC: 32x100G",
	},
}

// The cages of front panels, with the largest number of parts that a port of each can be split into.
func sfpplus(first, last int) PortRange  { return PortRange{first, last, 10_000, 1} }
func sfp28(first, last int) PortRange    { return PortRange{first, last, 25_000, 1} }
func qsfpplus(first, last int) PortRange { return PortRange{first, last, 40_000, 4} }
func qsfp28(first, last int) PortRange   { return PortRange{first, last, 100_000, 4} }
func qsfp56(first, last int) PortRange   { return PortRange{first, last, 200_000, 4} }
func qsfpdd(first, last int) PortRange   { return PortRange{first, last, 400_000, 8} }
func osfp(first, last int) PortRange     { return PortRange{first, last, 800_000, 8} }
