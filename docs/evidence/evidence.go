// Package evidence has the reports of users about real devices: the bundles of `rocec selftest` in this folder, by the target and the
// release that they are about ([Key]).
package evidence

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// Files has the reports and the README of the folder.
//
//go:embed *
var Files embed.FS

// The first words of a bundle, and of the lines that Read parses. The writer of bundles uses these constants.
const (
	Title   = "rocec selftest bundle 1"
	Devices = "devices:" // what answered: [Real], or simulated devices
	Real    = "real"
	Device  = "=== " // begins a section, for devices with equal answers
	Target  = "target:"
	Release = "release:"
	Model   = "model:"
	Claim   = "--- " // begins a claim within a section
)

// Key is a target and a release for which a report is evidence.
type Key struct {
	Target  string // "nvue"
	Release string // of the operating system; empty for devices without releases
}

// Read returns the keys of the reports (*.txt) in a folder, each with the names of its files.
func Read(dir fs.FS) (map[Key][]string, error) {
	names, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, err
	}
	all := map[Key][]string{}
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		keys, err := keysOf(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, k := range keys {
			all[k] = append(all[k], name)
		}
	}
	return all, nil
}

// reports has the reports that are embedded in this rocec.
var reports = sync.OnceValue(func() map[Key][]string {
	all, err := Read(Files)
	if err != nil {
		panic("docs/evidence: " + err.Error())
	}
	return all
})

// Reported reports whether users have sent a report about a target and a release.
func Reported(target, release string) bool { return len(reports()[Key{target, release}]) > 0 }

// keysOf parses a bundle and returns the targets and releases of the devices that answered. A bundle of a rehearsal is an error.
func keysOf(text string) (keys []Key, err error) {
	if !strings.HasPrefix(text, Title+"\n") {
		return nil, fmt.Errorf("it does not begin with %q", Title)
	}
	real, section, answered := false, false, false
	var targets []string
	release := ""
	end := func() {
		for _, t := range targets {
			if answered {
				keys = append(keys, Key{t, release})
			}
		}
		targets, release, answered = nil, "", false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		word, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(line, Device):
			end()
			section = true
		case strings.HasPrefix(line, Claim):
			answered = true
		case word == Devices && !section:
			real = value == Real
		case word == Target && section && !answered:
			targets = strings.Fields(value)
		case word == Release && section && !answered:
			release = value
		}
	}
	end()
	switch {
	case !section:
		return nil, fmt.Errorf("no device has answered")
	case !real:
		return nil, fmt.Errorf("its devices are simulated: it is no evidence about real ones")
	}
	return keys, nil
}
