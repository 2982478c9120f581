package intake

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/netbox"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// DevicesWord is the word for the configurations of devices.
const DevicesWord = "devices"

// Sources are the sources of a fabric, by kind.
type Sources struct {
	Cables    *Origin  // a cabling file, and sheets of an inventory; nil: no source is one
	Devices   []string // files, folders and archives with the configurations of devices
	Inventory string   // netbox:URL or nautobot:URL
}

// archives lists the file name endings of archives with files of devices.
var archives = []string{".tar", ".tar.gz", ".tgz", ".zip"}

// extensions lists the file name endings of cabling files whose text does not show their kind.
var extensions = map[string]string{".dot": "ptm", ".gv": "ptm", ".csv": "csv", ".tsv": "csv", ".yml": "clab", ".yaml": "clab"}

// Look finds the kind of each source: by its text, or by the word before a colon (csv:FILE). The cables of a fabric must be from one
// source.
func Look(sources, sheets []string, columns map[string]string) (*Sources, error) {
	s := &Sources{}
	var cables, kind string
	for _, source := range sources {
		if netbox.IsSource(source) {
			if s.Inventory != "" {
				return nil, fmt.Errorf("%s and %s: only one inventory can be read", s.Inventory, source)
			}
			s.Inventory = source
			continue
		}
		word, name, err := kindOf(source, columns)
		switch {
		case err != nil:
			return nil, err
		case word == DevicesWord:
			s.Devices = append(s.Devices, name)
		case word == topology.OtherSheet:
			return nil, fmt.Errorf("%s has only lines of consoles, power or management, and no cables of a fabric: leave it out", name)
		case word == topology.InventorySheet:
			sheets = append(sheets[:len(sheets):len(sheets)], name)
		case cables != "":
			return nil, fmt.Errorf("%s and %s are two cabling files, and a draft uses one. Draft from one, and add a topology "+
				"block for the other",
				cables, name)
		default:
			cables, kind = name, word
		}
	}
	switch {
	case cables != "" && s.Inventory != "":
		return nil, fmt.Errorf("%s and %s both have cables. Draft from one of them", cables, s.Inventory)
	case cables == "" && len(sheets) > 0:
		return nil, fmt.Errorf("%s is a sheet of an inventory without cables: also give the sheet of cables", sheets[0])
	case cables == "":
		return s, nil
	}
	var err error
	s.Cables, err = ReadFiles(kind, cables, sheets)
	return s, err
}

// kindOf finds the kind of one source, and its name without the word before the colon.
func kindOf(source string, columns map[string]string) (kind, name string, err error) {
	words := append(Words(), DevicesWord)
	if word, rest, ok := strings.Cut(source, ":"); ok && slices.Contains(words, word) {
		return word, rest, nil
	}
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return "", "", err
	case info.IsDir() || slices.ContainsFunc(archives, func(end string) bool { return strings.HasSuffix(source, end) }):
		return DevicesWord, source, nil
	}
	f, err := readFile(source, "", nil)
	if err != nil {
		return "", "", err
	}
	switch format := topology.Detect(f.Data, columns); {
	case format == topology.InventorySheet || format == topology.OtherSheet:
		return format, source, nil
	case format != "":
		return Kinds[slices.IndexFunc(Kinds, func(k Kind) bool { return k.Format == format })].Word, source, nil
	case targets.Searched(lint.File{Name: filepath.ToSlash(source), Data: f.Data}, true):
		return DevicesWord, source, nil
	case extensions[strings.ToLower(filepath.Ext(source))] != "": // the reader of that kind reports the mistake
		return extensions[strings.ToLower(filepath.Ext(source))], source, nil
	}
	var forced []string
	for _, w := range words {
		forced = append(forced, w+":"+"FILE")
	}
	return "", "", fmt.Errorf("rocec does not recognize %s: it is no topology.dot of PTM, no topology of containerlab "+
		"or NVIDIA Air, "+
		"no sheet of cables, and no file of a device. If it is one of these, write %s", source, diag.Or(forced))
}

// FromInventory makes an origin of the records of an inventory.
func FromInventory(r *netbox.Records) *Origin {
	s := &Origin{Kind: Kinds[slices.Index(Words(), "csv")]}
	for i, sheet := range r.Sheets {
		f := File{Shown: sheet.Name, Name: sheet.Name, Data: sheet.Data}
		if i == 0 {
			s.Cables = f
			continue
		}
		s.Sheets = append(s.Sheets, f)
	}
	return s
}
