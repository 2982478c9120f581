// Package snapshot is the format in which the answers of devices are kept: raw answers as files, and a [Manifest] of them. It unpacks
// common archives, and packs a snapshot as one. It removes rows of a configuration that no judgement of lossless traffic needs ([Kept]).
//
// A snapshot is a folder, or an archive of such a folder: snapshot.json, and a folder for each device with its answers. The files have
// names that audit recognises without a manifest. The package is pure: its input and output are bytes.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// Name is the base name of the manifest.
const Name = "snapshot.json"

// MaxManifest is the largest size of a manifest in bytes: 5,000 devices with 20 answers each need less.
const MaxManifest = 32 << 20

// formatMajor is the major number of the format that this package reads and writes.
const formatMajor = "1"

// Manifest lists the answers of a snapshot by device.
type Manifest struct {
	FormatVersion string   `json:"format_version"`
	Tool          string   `json:"tool"`         // the version of rocec that wrote it
	By            string   `json:"by,omitempty"` // the user who ran it, as user@machine; omitted if names are masked
	Masked        bool     `json:"masked,omitempty"`
	Devices       []Device `json:"devices"` // in the order of their names

	Commands map[string]string `json:"commands,omitempty"` // by base name of an answer: the command that the devices ran
}

// Device is a device of a snapshot.
type Device struct {
	Name    string    `json:"name"`              // the name of its folder
	Address string    `json:"address,omitempty"` // the address by which it was asked; omitted if names are masked
	When    time.Time `json:"when,omitzero"`     // when it was asked; zero: its files come from people
	Clock   int       `json:"clock,omitempty"`   // seconds by which its clock is ahead of the clock of the asking machine
	Host    string    `json:"host,omitempty"`    // its own hostname
	Failed  string    `json:"failed,omitempty"`  // why it could not be asked, as part of a sentence
	Answers []Answer  `json:"answers"`           // in the order of their files
}

// Answer is a file of a device.
type Answer struct {
	File    string `json:"file"`              // its path below the snapshot
	Failed  string `json:"failed,omitempty"`  // why there is no file, as part of a sentence
	SHA256  string `json:"sha256,omitempty"`  // SHA-256 of the file, in hexadecimal digits
	Size    int    `json:"bytes"`             // size of the file
	Dropped int    `json:"dropped,omitempty"` // number of rows and values that are not kept
}

// Sum returns the digest of a file in the form of [Answer].
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Bytes returns the manifest as a file.
func (m *Manifest) Bytes() ([]byte, error) {
	m.FormatVersion = formatMajor + ".0"
	for i := range m.Devices {
		if m.Devices[i].Answers == nil {
			m.Devices[i].Answers = []Answer{}
		}
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	to.SetIndent("", " ")
	if err := to.Encode(m); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Read reads a manifest. The error is a sentence without a full stop.
func Read(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, fmt.Errorf("it is larger than %d MiB", MaxManifest>>20)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("it is no manifest of a snapshot: %w", err)
	}
	switch major, _, ok := strings.Cut(m.FormatVersion, "."); {
	case !ok:
		return nil, fmt.Errorf("it has no format_version, so it is no manifest of a snapshot")
	case major != formatMajor:
		return nil, fmt.Errorf("it has the format %s, and this rocec reads %s.0", diag.Escape(diag.Cut(m.FormatVersion)), formatMajor)
	}
	seen := map[string]bool{}
	for _, d := range m.Devices {
		if !ValidName(d.Name) || seen[d.Name] {
			return nil, fmt.Errorf("it lists a device twice, or without a valid name: %q", diag.Cut(d.Name))
		}
		seen[d.Name] = true
		for _, a := range d.Answers {
			if path.Clean(a.File) != a.File || a.File == "." || a.File == Name || path.IsAbs(a.File) ||
				strings.HasPrefix(a.File, "..") || seen[a.File+"\n"] {
				return nil, fmt.Errorf("it lists a file twice, or with an invalid path: %q", diag.Cut(a.File))
			}
			seen[a.File+"\n"] = true
		}
	}
	return &m, nil
}

// ValidName reports whether a device may have a folder of this name.
func ValidName(name string) bool {
	return name != "" && len(name) <= 255 && name[0] != '.' && name[0] != '-' && name != Name &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:@") == ""
}

// The reasons why a file does not belong to a snapshot, as sentences.
const (
	otherBytes = "Its bytes are not those that were collected: its digest in " + Name + " differs. Collect it again."
	notListed  = Name + " does not list it: it is from another collection. Collect its device again, or delete the file."
	notThere   = Name + " lists it, but it does not exist."
)

// Judge returns the reasons why files do not match the manifest, by their paths below the snapshot. have contains the digests of the
// existing files. Missing files are also in the result.
func (m *Manifest) Judge(have map[string]string) (wrong map[string]string) {
	wrong = map[string]string{}
	listed := map[string]bool{}
	for _, d := range m.Devices {
		for _, a := range d.Answers {
			if a.Failed != "" {
				continue
			}
			listed[a.File] = true
			switch sum, there := have[a.File]; {
			case !there:
				wrong[a.File] = notThere
			case sum != a.SHA256:
				wrong[a.File] = otherBytes
			}
		}
	}
	for name := range have {
		if !listed[name] {
			wrong[name] = notListed
		}
	}
	return wrong
}

// Sort puts devices and answers into the order of their names.
func (m *Manifest) Sort() {
	sort.Slice(m.Devices, func(i, k int) bool { return nodeset.Compare(m.Devices[i].Name, m.Devices[k].Name) < 0 })
	for i := range m.Devices {
		answers := m.Devices[i].Answers
		sort.Slice(answers, func(i, k int) bool { return answers[i].File < answers[k].File })
	}
}
