package topology

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/lang/diag"
)

// Format is one row of the table of formats.
type Format struct {
	Name string // the value of the attribute format
	Doc  string // one sentence for the manual
	read func(*reader)
}

// Formats has the formats that rocec reads.
var Formats = []Format{
	{
		"ptm", "topology.dot of the Prescriptive Topology Manager (PTM): an undirected graphviz graph whose edges name a port at " +
			"both ends.",
		readDot,
	},
	{"containerlab", "Topology file of containerlab: its links between two nodes, in short and long form.", readContainerlab},
	{"air", "Topology of NVIDIA Air as JSON: its nodes, and its links between two of them.", readAir},
	{
		"csv", "A sheet of cables with a header line: a_device, a_port, b_device, b_port, or a and b as device:port, or columns " +
			"that say the " +
			"same.",
		readCSV,
	},
}

// Names returns the names of the formats, in order of the table.
func Names() []string {
	var names []string
	for i := range Formats {
		names = append(names, Formats[i].Name)
	}
	return names
}

// ReadAll reads a cabling file. Places have the given name of the file. ReadAll returns complete edges even if the file has mistakes at
// other places. It panics for an unknown format, which is a mistake of the caller.
func ReadAll(format, name string, src []byte, o Options) (Cabling, diag.List) {
	i := slices.Index(Names(), format)
	if i < 0 {
		panic(fmt.Sprintf("topology: no format %q", format))
	}
	r := &reader{most: o.Most, columns: o.Columns}
	if len(src) > MaxFile {
		TooLarge.Errorf(&r.ds, newPlaces(name, "").at(0, 0),
			"The file has %s bytes, but at most %s are read. Split it into several files, each with its own topology block.",
			diag.Number(len(src)), diag.Number(MaxFile))
		return Cabling{}, r.ds
	}
	r.open(name, src)
	if r.valid(); !r.failed {
		r.readSheets(o.Sheets)
	}
	if !r.failed {
		Formats[i].read(r)
		r.follow()
	}
	if len(r.ds) == 0 && len(r.edges) == 0 && len(r.others) == 0 {
		Empty.Warnf(&r.ds, r.at(0, 0), "There is no cable in this file (format %q).%s Name the right file, or delete the topology "+
			"block.", format,
			r.left.sentence(" All cables are left out: %s."))
	}
	if len(r.edges) > 0 {
		r.undeclared()
		if text := r.left.String(); text != "" {
			LeftOut.Noticef(&r.ds, r.at(0, 0), "Cables of this file are left out, because they are not links of the fabric: %s.", text)
		}
	}
	return Cabling{
		Edges: r.edges, Nodes: r.nodes, Others: r.others, Left: r.left, Panels: r.panels, Fabric: r.fabric,
		Strays: r.strays,
	}, r.ds
}
