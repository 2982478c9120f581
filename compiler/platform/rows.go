package platform

// The types of the generated tables.

// Published is the table of one switch, as SONiC has it.
type Published struct {
	Of     string   // whose it is, as SONiC names it: "ACS-MSN2700"
	Path   string   // the file, in sonic-net/sonic-buildimage
	Chip   string   // name of the [ASIC]
	Models []string // names of the [Switches] whose table it is
	Own    bool     // it holds for these alone, in place of those of the chip
	Beside bool     // it holds for these alone, beside those of the chip. Neither: for every switch with the chip
	Rows   []PublishedRow
}

// PublishedRow is what one port needs at a speed.
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
	file          uint8 // of modelFiles: the table with the smallest
}

// NightlyRow has the bytes that tests on real switches with a chip expect between the first pause and the first drop. The tests find that
// a switch works as it was set; they do not find that less would lose.
type NightlyRow struct {
	Chip          string
	Speed, Metres int32
	Least, Most   int32 // the smallest and the largest of the tests
}
