// Package evidence has the reports of users about real devices: the bundles of `rocec selftest` in this folder, by the system, the release
// and the chip that they are about ([Key]). [Parse] reads a bundle.
package evidence

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Files has the reports and the README of the folder.
//
//go:embed *
var Files embed.FS

// Key is a kind of device for which a report is evidence.
type Key struct {
	Target  string // "nvue"
	Release string // of the operating system; empty for devices without releases
	Chip    string // of a switch, "Spectrum-2"; of a host, the model of a NIC: "connectx-5"
}

// Submission is a file of the folder as evidence for a [Key].
type Submission struct {
	File  string
	Level string // "0" to "3"
}

// Index has the reports about each kind of device, in the order of file names.
type Index map[Key][]Submission

// Reported reports whether the index has a report about a kind of device.
func (x Index) Reported(target, release, chip string) bool {
	return len(x[Key{target, release, chip}]) > 0
}

// Read returns the index of the reports (*.txt) in a folder.
func Read(dir fs.FS) (Index, error) {
	names, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, err
	}
	all := Index{}
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		b, err := Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		keys, err := b.keys()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, k := range keys {
			all[k] = append(all[k], Submission{name, b.Level})
		}
	}
	return all, nil
}

// reports has the reports that are embedded in this rocec.
var reports = sync.OnceValue(func() Index {
	all, err := Read(Files)
	if err != nil {
		panic("docs/evidence: " + err.Error())
	}
	return all
})

// Reports returns the index of the reports that are embedded in this rocec.
func Reports() Index { return reports() }

// Reported reports whether users have sent a report about a kind of device.
func Reported(target, release, chip string) bool { return Reports().Reported(target, release, chip) }

// keys returns the kinds of the devices whose answers decide a claim, each once. A bundle of a rehearsal is an error, and so is a bundle
// whose end is missing, or that decides nothing.
func (b *Bundle) keys() (keys []Key, err error) {
	switch {
	case len(b.Parts) == 0:
		return nil, errors.New("no device has answered")
	case !b.Real:
		return nil, errors.New("its devices are simulated: it is no evidence about real ones")
	case !b.Whole:
		return nil, fmt.Errorf("its end is missing: the last line is not %q", End)
	}
	for _, p := range b.Parts {
		if !slices.ContainsFunc(p.Entries, decided) {
			continue
		}
		for _, t := range p.Targets {
			for _, chip := range p.chips(t) {
				if k := (Key{t, p.Release, chip}); !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			}
		}
	}
	if keys == nil {
		return nil, errors.New("no claim about a device of a known kind is decided")
	}
	return keys, nil
}

// decided reports whether the answers of a claim decide it. A device that answers nothing useful is no evidence.
func decided(a *Assertion) bool { return a.Verdict == "holds" || a.Verdict == "does not hold" }

// chips returns the chips of the devices that a target is about.
func (s *Part) chips(target string) (out []string) {
	for _, c := range s.Chips {
		if of, chip, _ := strings.Cut(c, " "); of == target {
			out = append(out, chip)
		}
	}
	return out
}
