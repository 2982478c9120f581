package platform

// ASICs is the table of switch silicon, by vendor and age.
//
// Sources: "SONiC" is the SONiC project's per-platform buffer templates (device/*/buffers_defaults_t0.j2, which state the pool the chip
// leaves to packets) and its headroom script; "public" is a vendor's product page with a nominal size. A nominal size is rounded down to
// whole cells. The target of an operating system contains its abilities on a chip.
//
// MarkStep of Spectrum is 64 cells on every generation, rounded up. Sources: Linux, mlxsw/spectrum_qdisc.c (MLXSW_REG_CWTP_MIN_VALUE 64 and
// roundup), and Mellanox SAI, mlnx_sai_wred.c. For a requested 150,000 B, Cumulus Linux 5.x shows 156,672 B: 17 steps of 64 cells of 144 B.
// For a requested 150 KiB on Spectrum-4 it shows 159,744 B. Spectrum-5 and -6 are assumed to do the same. No source states the step of a
// Broadcom chip.
var ASICs = []*ASIC{
	{
		Name: "helix4", Title: "Helix4", Vendor: Broadcom, Cell: 208, Buffer: 4_194_112, MaxSpeed: 10_000,
		Source: "buffer 4 MB: public",
	},
	{
		Name: "trident", Title: "Trident", Vendor: Broadcom, Cell: 208, Buffer: 9_437_168, MaxSpeed: 40_000,
		Source: "buffer 9 MB: public",
	},
	{
		Name: "tridentplus", Title: "Trident+", Vendor: Broadcom, Cell: 208, Buffer: 9_584_640, MaxSpeed: 40_000,
		Source: "46,080 cells of 208 B: public",
	},
	{
		Name: "trident2", Title: "Trident II", Vendor: Broadcom, Cell: 208, Buffer: 12_766_208, MaxSpeed: 40_000,
		Response: oldResponse,
		Aliases:  []string{"tridentii", "td2"},
		Source:   "61,376 cells: SONiC td2",
	},
	{
		Name: "trident2plus", Title: "Trident II+", Vendor: Broadcom, Cell: 208, Buffer: 16_777_072, MaxSpeed: 100_000,
		Response: oldResponse,
		Aliases:  []string{"tridentiiplus", "td2plus"},
		Source:   "buffer 16 MB: public",
	},
	{
		Name: "trident3", Title: "Trident3", Vendor: Broadcom, Cell: 256, Buffer: 32_575_488, MaxSpeed: 100_000,
		Response: oldResponse,
		Aliases:  []string{"tridentiii", "td3"},
		Source:   "smallest of the pools in SONiC's td3 templates",
	},
	{
		Name: "tomahawk", Title: "Tomahawk", Vendor: Broadcom, Cell: 208, Buffer: 15_982_720, MaxSpeed: 100_000,
		Response: oldResponse,
		Aliases:  []string{"th", "th1"},
		Source:   "76,840 cells, in four slices: SONiC th",
	},
	{
		Name: "tomahawkplus", Title: "Tomahawk+", Vendor: Broadcom, Cell: 208, Buffer: 23_068_656, MaxSpeed: 100_000,
		Response: oldResponse,
		Aliases:  []string{"thplus"},
		Source:   "buffer 22 MB: public",
	},
	{
		Name: "tomahawk2", Title: "Tomahawk2", Vendor: Broadcom, Cell: 208, Buffer: 42_349_632, MaxSpeed: 100_000,
		Response: oldResponse,
		Aliases:  []string{"th2", "tomahawkii"},
		Source:   "203,604 cells: SONiC th2",
	},

	// The cell of 254 B of the next three is derived from the slope of published tables, 30.24 ns of bytes per metre.
	{
		Name: "tomahawk3", Title: "Tomahawk3", Vendor: Broadcom, Cell: 254, Buffer: 66_394_076, MaxSpeed: 400_000,
		Aliases: []string{"th3"},
		Source:  "261,394 cells: SONiC th3",
	},
	{
		Name: "tomahawk4", Title: "Tomahawk4", Vendor: Broadcom, Cell: 254, Buffer: 113_620_296, MaxSpeed: 400_000,
		Aliases: []string{"th4"},
		Source:  "447,324 cells: SONiC Dell Z9664F",
	},
	{
		Name: "tomahawk5", Title: "Tomahawk5", Vendor: Broadcom, Cell: 254, Buffer: 161_999_930, MaxSpeed: 800_000,
		Aliases: []string{"th5"},
		Source:  "about 162 MB, the smaller of the pools in SONiC's th5 templates",
	},
	{
		Name: "tomahawk6", Title: "Tomahawk6", Vendor: Broadcom, Cell: 420, Buffer: 249_964_680, MaxSpeed: Unsized,
		Aliases: []string{"th6"},
		Source:  "595,154 cells, the smaller of the pools in SONiC's th6 templates; cells: sonic-mgmt qos_params.th6.yaml",
	},

	{
		Name: "spectrum", Title: "Spectrum", Vendor: Mellanox, Cell: 96, Buffer: 13_945_824, MaxSpeed: 100_000,
		MarkStep: 64 * 96,
		Response: oldResponse,
		Aliases:  []string{"spectrum1", "spc1"},
		Source:   "145,269 cells: SONiC ACS-MSN2700",
	},
	{
		Name: "spectrum2", Title: "Spectrum-2", Vendor: Mellanox, Cell: 144, Buffer: 34_287_552, MaxSpeed: 200_000,
		MarkStep: 64 * 144,
		Response: oldResponse,
		Aliases:  []string{"spc2"},
		Source:   "238,108 cells: SONiC ACS-MSN3700",
	},
	{
		Name: "spectrum2gearbox", Title: "Spectrum-2 with gearbox", Vendor: Mellanox, Cell: 144, Buffer: 34_287_552, MaxSpeed: 100_000,
		MarkStep: 64 * 144,
		Response: oldResponse, Gearbox: 400,
		Source: "as Spectrum-2; a gearbox delay of 400 ns on the SN3800: SONiC platform/mellanox/asic_table.j2",
	},
	{
		Name: "spectrum3", Title: "Spectrum-3", Vendor: Mellanox, Cell: 144, Buffer: 60_817_392, MaxSpeed: 400_000,
		MarkStep: 64 * 144,
		Response: oldResponse,
		Aliases:  []string{"spc3"},
		Source:   "422,343 cells: SONiC ACS-MSN4700",
	},
	{
		Name: "spectrum4", Title: "Spectrum-4", Vendor: Mellanox, Cell: 192, Buffer: 158_229_504, MaxSpeed: 800_000,
		Extra: 15, MarkStep: 64 * 192,
		Aliases: []string{"spc4"},
		Source:  "824,112 cells and 15 B per Gb/s: SONiC ACS-SN5600 and its headroom script",
	},
	{
		Name: "spectrum5", Title: "Spectrum-5", Vendor: Mellanox, Cell: 192, Buffer: 136_209_408, MaxSpeed: 800_000,
		Extra: 15, MarkStep: 64 * 192,
		Aliases: []string{"spc5"},
		Source:  "709,424 cells: SONiC ACS-SN5640; otherwise as Spectrum-4",
	},

	{
		Name: "spectrum6", Title: "Spectrum-6", Vendor: Mellanox, Cell: 256, Buffer: 226_492_416, MaxSpeed: Unsized,
		MarkStep: 64 * 256,
		Aliases:  []string{"spc6"},
		Source:   "884,736 cells: SONiC ACS-SN6600_LD, cells: platform/mellanox/asic_table.j2",
	},
}

// oldResponse is the pause response in the static headroom tables of chips older than the per-speed values: 3.8 KiB, slightly more than
// the 60 quanta of 802.3-2008 31B.3.7. Source: SONiC asic_table.j2, peer_response_time.
const oldResponse = 3_891

// asic returns the row of a chip by its name in these tables.
func asic(name string) *ASIC {
	for _, a := range ASICs {
		if a.Name == name {
			return a
		}
	}
	panic("platform: no ASIC " + name)
}
