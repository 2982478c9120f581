package platform

// The types of the generated tables.

// Published is SONiC's table of one switch.
type Published struct {
	Of     string   // the switch, by its name in SONiC: "ACS-MSN2700"
	Path   string   // the file, in sonic-net/sonic-buildimage
	Chip   string   // name of the [ASIC]
	Models []string // names of the [Switches] with the table
	Own    bool     // only for these, in place of the tables of the chip
	Beside bool     // only for these, in addition to the tables of the chip. Neither: for every switch with the chip
	Rows   []PublishedRow
}

// PublishedRow contains the headroom of one port at a speed.
type PublishedRow struct {
	Speed int // Mb/s
	At    []Figure
}

// Figure is the headroom for one length of cable.
type Figure struct {
	Metres int
	Bytes  int
}

// ModelRows are the published rows of one switch model, by speed and length.
type ModelRows struct {
	Model string
	Rows  []ModelRow
}

// ModelRow is the published headroom of a model at one speed and length, in bytes.
type ModelRow struct {
	Speed, Metres int32
	Least, Most   int32 // the smallest and the largest of the model's tables
	file          uint8 // index in modelFiles: the table with the smallest headroom
}

// NightlyRow contains the bytes that tests on real switches with a chip expect between the first pause and the first drop. The tests show
// that a switch works with its settings; they do not show that less headroom loses packets.
type NightlyRow struct {
	Chip          string
	Speed, Metres int32
	Least, Most   int32 // the smallest and the largest of the tests
}
