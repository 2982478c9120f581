package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Report is a host's description of itself, printed by the host's own script, for hosts that rocec does not log in to. Its machine is not
// trusted, so its texts are escaped before they are shown.
type Report struct {
	Host   string            // its name in its kernel
	Boot   string            // boot id; empty: not stated
	Files  map[string]string // SHA-256 by path, for existing files; empty: it could not be read
	Rights map[string]string // "UID:GID:MODE" by path, for existing files; empty: not stated
	NICs   []ReportedNIC     // in the order of the report, without duplicate names
}

// ReportedNIC is a NIC in the output of the host's script.
type ReportedNIC struct {
	Name     string            `json:"name"`
	Driver   string            `json:"driver"` // "none"; empty: there is no such interface
	Settings map[string]string `json:"settings"`
	GIDs     []string          `json:"gids"` // "gid DEV PORT INDEX NETDEV GID TYPE", "at IF DEV", "vlan NAME ID PARENT"
	Good     bool              `json:"good"`
	Differs  []string          `json:"differs"` // differences from its own value file, in words
}

// NIC returns a NIC by name; nil: the report does not name it.
func (r *Report) NIC(name string) *ReportedNIC {
	for i := range r.NICs {
		if r.NICs[i].Name == name {
			return &r.NICs[i]
		}
	}
	return nil
}

// Reported is a report in the form of a target: the live states by [File.Path] and the answers of probes by name that the report contains.
// Wrong lists further errors, in full sentences.
type Reported struct {
	States, Answers map[string][]byte
	Wrong           []string
}

// MostReport is the largest size of a report in bytes.
const MostReport = 1 << 20

// ParseReport reads a report. Unknown members are ignored. Duplicates, texts with control characters, and a format of another major version
// are errors.
func ParseReport(data []byte) (*Report, error) {
	if len(data) > MostReport {
		return nil, fmt.Errorf("it has more than %d bytes", MostReport)
	}
	if err := noTwice(data); err != nil {
		return nil, err
	}
	var doc struct {
		Format string `json:"format_version"`
		Host   string `json:"host"`
		Boot   string `json:"boot_id"`
		Files  []struct {
			Path string  `json:"path"`
			Sum  *string `json:"sha256"`
			Own  string  `json:"rights"`
		} `json:"files"`
		NICs []ReportedNIC `json:"nics"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return nil, fmt.Errorf("its %s is a %s, which it cannot be", wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("it is not a report: %w", err)
	}
	if minor, is := strings.CutPrefix(doc.Format, "1."); !is || strings.Trim(minor, "0123456789") != "" || minor == "" {
		return nil, fmt.Errorf("its format_version is %q, and this rocec reads 1.0", doc.Format)
	}
	r := &Report{Host: doc.Host, Boot: doc.Boot, Files: map[string]string{}, Rights: map[string]string{}, NICs: doc.NICs}
	for _, f := range doc.Files {
		if _, twice := r.Files[f.Path]; twice {
			return nil, fmt.Errorf("it has the file %q twice", f.Path)
		}
		r.Files[f.Path] = ""
		if f.Sum != nil {
			r.Files[f.Path] = *f.Sum
		}
		if f.Own != "" {
			r.Rights[f.Path] = f.Own
		}
	}
	for i, n := range doc.NICs {
		if r.NIC(n.Name) != &doc.NICs[i] {
			return nil, fmt.Errorf("it has the NIC %q twice", n.Name)
		}
		for key, value := range n.Settings {
			if strings.ContainsFunc(key+value, unicode.IsControl) || strings.Contains(key, "=") {
				return nil, fmt.Errorf("the setting %q of the NIC %q is not one line KEY=VALUE", key, n.Name)
			}
		}
	}
	return r, nil
}

// noTwice reports an object of a document with a duplicate member, regardless of case, because readers differ in which duplicate they use.
func noTwice(data []byte) error {
	const deepest = 16
	d := json.NewDecoder(bytes.NewReader(data))
	var objects []map[string]bool // members of each level; nil: an array
	key := false                  // a key of an object may come next
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && len(objects) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("it is not JSON: %w", err)
		}
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{':
				objects = append(objects, map[string]bool{})
			case '[':
				objects = append(objects, nil)
			default:
				objects = objects[:len(objects)-1]
			}
			if len(objects) > deepest {
				return fmt.Errorf("it is more than %d levels deep", deepest)
			}
			key = len(objects) > 0 && objects[len(objects)-1] != nil
		case string:
			if !key {
				key = len(objects) > 0 && objects[len(objects)-1] != nil
				continue
			}
			seen := objects[len(objects)-1]
			folded := strings.ToLower(strings.ToUpper(t))
			if seen[folded] {
				return fmt.Errorf("it has the member %q twice in one object", t)
			}
			seen[folded], key = true, false
		default:
			key = len(objects) > 0 && objects[len(objects)-1] != nil
		}
	}
}
