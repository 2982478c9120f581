// Package start makes the files of a new fabric: a small one that works, or a draft ([Drafted]) from the cabling file of a person.
package start

import (
	"bytes"
	"embed"
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/nodeset"
)

// small contains the files of a new fabric.
//
//go:embed small
var small embed.FS

// File is a file of a new fabric. Its name uses slashes and is relative to the fabric's folder.
type File struct {
	Name string
	Data []byte
}

var nameLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`) })

// IsName reports whether a name is valid for a fabric.
func IsName(s string) bool { return nameLike().MatchString(s) }

// Call replaces the name of the fabric in new files.
func Call(files []File, name string) {
	for i, f := range files {
		if f.Name == "fabric.hcl" {
			files[i].Data = bytes.Replace(f.Data, []byte(`fabric "lab"`), []byte(`fabric "`+name+`"`), 1)
		}
	}
}

// unpinned is the version in the workflow of new files, before Pin replaces it.
const unpinned = "@VERSION # write the version that you apply with"

var versionLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+\.\d+[-.0-9A-Za-z]*$`) })

// commitLike matches a version whose metadata is the time and the hash of a commit.
var commitLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+\.\d+\+\d{14}\.g([0-9a-f]{12})$`) })

// Pin makes the workflow of new files install a version of rocec that is a release or a commit. For any other version the workflow keeps
// VERSION, which fails to install, and a comment states what to write: it never installs the newest version. Module proxies find a commit
// by its hash.
func Pin(files []File, version string) {
	version = "v" + strings.TrimPrefix(version, "v")
	if m := commitLike().FindStringSubmatch(version[1:]); m != nil {
		version = m[1]
	} else if !versionLike().MatchString(version[1:]) {
		return
	}
	for i, f := range files {
		files[i].Data = bytes.Replace(f.Data, []byte(unpinned), []byte("@"+version+" # the version that you apply with"), 1)
	}
}

// System is the operating system of the switches of a new fabric. The zero System is the default system.
type System struct {
	OS      *ir.OS
	Version string // empty: the usual release of a model
}

// release returns the release for a switch of a model.
func (s System) release(m *platform.Switch) string {
	switch {
	case s.Version != "":
		return s.Version
	case s.OS.Usual != nil && m != nil:
		return s.OS.Usual(m)
	}
	return s.OS.Newest
}

// On returns the files of the small fabric whose switches run the system on.
func On(on System) []File {
	files := Small(nil)
	m, _ := platform.FindSwitch(smallModel)
	for i, f := range files {
		switch f.Name {
		case "devices.hcl":
			f.Data = bytes.ReplaceAll(f.Data, []byte(smallOS), strconv.AppendQuote(nil, on.OS.Name))
			f.Data = bytes.ReplaceAll(f.Data, []byte(smallVersion), strconv.AppendQuote(nil, on.release(m)))
			f.Data = bytes.ReplaceAll(f.Data, []byte(smallUser), fmt.Appendf(nil, "user = %q", on.OS.User))
			files[i].Data = canonical(f.Data)
		case "cabling.hcl":
			files[i].Data = smallPorts().ReplaceAllFunc(f.Data, func(ports []byte) []byte { return spell(on.OS, m, ports) })
		}
	}
	return files
}

// spell returns ports of the small fabric with their names on a system: "Ethernet[0,4]" for "swp[1-2]".
func spell(os *ir.OS, m *platform.Switch, ports []byte) []byte {
	var bounds []int
	for number := range strings.FieldsFuncSeq(string(ports), func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(number)
		if err != nil {
			panic("start: " + err.Error()) // of digits
		}
		bounds = append(bounds, n)
	}
	var names []string
	for n := bounds[0]; n <= bounds[len(bounds)-1]; n++ {
		names = append(names, os.Spell(m, ir.Front{Number: int16(n), Sub: -1}))
	}
	return []byte(nodeset.Text(names, nodeset.Interfaces, math.MaxInt))
}

// smallPorts matches the ports of switches in the small fabric.
var smallPorts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`swp(\[\d+-\d+\]|\d+)`) })

// The model and system of switches in the small fabric.
const (
	smallModel   = "sn2700"
	smallOS      = `"cumulus-linux"`
	smallVersion = `"4.3.0"`
	smallUser    = `user = "cumulus"` // hosts have another one, mostly
)

// Small returns the files of the small fabric; the files in instead replace those with the same name.
func Small(instead map[string][]byte) []File {
	files := []File{
		{Name: "fabric.hcl"},
		{Name: "devices.hcl"},
		{Name: "cabling.hcl"},
		{Name: ".gitignore"},
		{Name: ".github/workflows/rocec.yml"},
	}
	for i, f := range files {
		data, ok := instead[f.Name]
		if !ok {
			var err error
			if data, err = small.ReadFile("small/" + strings.TrimPrefix(path.Base(f.Name), ".")); err != nil {
				panic(err)
			}
		}
		files[i].Data = data
	}
	return files
}
