package targets

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// device is the files of one device.
type device struct {
	name  string // the folder, and the name before the base names of the files
	files []int
	of    *ir.Device   // in the fabric; nil: the fabric has no such device
	alike []*ir.Device // further devices, if the name is a list: leaf[1-4]
	other string       // the reason why the files do not belong to the fabric's device with the name, as a sentence without a full stop
}

// devicesOf groups files by device, in the order of their first files. Files of one folder belong together if they have the same name
// before their base names. A folder that contains the tree of a device counts as one folder.
func devicesOf(files []lint.File) (all []device) {
	at := map[string]int{}
	in := folders(files)
	for i := range files {
		name := DeviceOf(files[i].Name)
		if own := in[files[i].Name]; own != "" {
			name = own
		}
		k, found := at[name]
		if !found {
			k, at[name] = len(all), len(all)
			all = append(all, device{name: name})
		}
		all[k].files = append(all[k].files, i)
	}
	return all
}

// folders finds files with unusual names, such as nv-config.json or dump.txt, in the folder of a device. In such a folder another file has
// a usual base name, and only one file has an unusual name.
func folders(files []lint.File) map[string]string {
	known, odd := map[string]bool{}, map[string][]string{}
	for i := range files {
		name := strings.ReplaceAll(files[i].Name, `\`, "/")
		switch owner, base := ownerOf(name); {
		case base != "" && withoutMoment(owner) == "":
			known[path.Dir(name)] = true
		case base == "" && !tools.IsValueFile(name):
			odd[path.Dir(name)] = append(odd[path.Dir(name)], files[i].Name)
		}
	}
	out := map[string]string{}
	for dir, names := range odd {
		if known[dir] && len(names) == 1 && dir != "." {
			out[names[0]] = dir
		}
	}
	return out
}

// DeviceOf names the device of a file. Other files belong to the device in their name: leaf1.nv, leaf1-config.txt.
func DeviceOf(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	owner, base := ownerOf(name)
	if base == "" && !tools.IsValueFile(name) {
		stem, ok := stemOf(name)
		if !ok {
			return name
		}
		owner = stem
	}
	dir, at := "/"+path.Dir(name)+"/", -1
	for _, row := range All {
		for _, tree := range append(row.Trees, tools.Tree) {
			if i := strings.Index(dir, tree); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
	}
	if at >= 0 {
		dir = dir[:at]
	}
	dir = path.Clean("/" + dir)[1:]
	if strings.HasPrefix(name, "/") {
		dir = "/" + dir
	}
	return cmp.Or(path.Join(dir, withoutMoment(owner)), ".")
}

// ownerOf returns the device in the name of a file, and the file's base name; both empty: files with this name are not searched.
func ownerOf(name string) (owner, base string) {
	for _, b := range searched() {
		if o, ok := lint.Owner(name, b); ok && (base == "" || len(o) < len(owner)) {
			owner, base = o, b
		}
	}
	return owner, base
}

// Words by which people distinguish two files of one device.
var (
	runningWords = []string{"running", "applied"}
	storedWords  = []string{"stored", "saved"}
)

// The usual ends of file names, and the words before them that do not name a device.
var (
	ends = []string{
		".conf", ".yaml", ".yml", ".json", ".txt", ".nv", ".cfg", ".log", ".cmds", ".commands", ".out", ".ini", ".sh", ".patch", ".cli",
		".config", ".text", ".dump",
	}
	kinds = []string{
		"config_db", "configdb", "config", "conf", "cfg", "nvue", "startup", "commands", "cmds", "dump", "show", "output", "backup",
	}
)

// stemOf returns the device in the name of any kind of file: the name without its end and without words for its kind and its moment. ok is
// false if it has no such end.
func stemOf(name string) (stem string, ok bool) {
	stem, ok = withoutEnds(path.Base(name))
	for again := ok; again; {
		rest, cut := cutWord(stem, slices.Concat(kinds, runningWords, storedWords))
		stem, again = rest, cut && rest != ""
	}
	return stem, ok
}

// withoutEnds removes the ends of file names from a name. ok is false if it has no such end.
func withoutEnds(name string) (stem string, ok bool) {
	for again := true; again; {
		again = false
		for _, end := range ends {
			if rest, cut := strings.CutSuffix(name, end); cut {
				name, ok, again = rest, true, true
			}
		}
	}
	return name, ok
}

// cutWord removes one of some words from the end of a name.
func cutWord(owner string, words []string) (rest string, ok bool) {
	for _, word := range words {
		if rest, ok := lint.Owner(owner, word); ok {
			return rest, true
		}
	}
	return owner, false
}

// withoutMoment removes a word for the moment from the end of a device's name.
func withoutMoment(owner string) string {
	rest, _ := cutWord(owner, slices.Concat(runningWords, storedWords))
	return rest
}

// namedRunning reports whether a file's name says that it contains running settings.
func namedRunning(owner string) bool {
	_, is := cutWord(owner, runningWords)
	return is
}

// saysRunning reports whether a file's name has a word for running settings.
func saysRunning(name string) bool {
	owner, base := ownerOf(name)
	if base != "" {
		return namedRunning(owner)
	}
	stem, ok := withoutEnds(path.Base(name))
	for ok {
		if namedRunning(stem) {
			return true
		}
		stem, ok = cutWord(stem, kinds)
	}
	return false
}

// HostFiles returns the base names by which the output of tools of a host is found in a folder.
func HostFiles() []string { return slices.Clone(tools.Names) }

// searched returns the base names of all files that are searched in a folder.
func searched() []string {
	searchedNames.once.Do(func() {
		names := slices.Concat(tools.Names, lldpNames, frrNames, forwarding.Names, forwardNames, countersFiles(),
			[]string{hostnameFile, speedsFile})
		for _, row := range All {
			if row.Files != nil {
				names = slices.Concat(names, row.Files.Names, row.Files.Also, row.Beside)
			}
			if row.ReleaseFile != "" {
				names = append(names, row.ReleaseFile)
			}
		}
		searchedNames.all = names
	})
	return searchedNames.all
}

// searchedNames are computed once, because they are needed for each file of a large folder.
var searchedNames struct {
	once sync.Once
	all  []string
}

// Searched reports whether to read a file of a folder: by its name or, if it was opened, by the end of its name and its beginning.
func Searched(f lint.File, opened bool) bool {
	return slices.ContainsFunc(searched(), func(base string) bool { return lint.Named(f.Name, base) }) || tools.IsValueFile(f.Name) ||
		tools.IsCapture(f.Name) || opened && nicoperator.Is(f.Data) || !lint.Passed(Linters(), f, opened)
}

// WithoutLone removes, and counts, files of a folder that are only read together with others of their device, if there is no other file.
// They are unrelated files.
func WithoutLone(files []lint.File) (rest []lint.File, lone int) {
	is := map[string]bool{}
	for _, d := range devicesOf(files) {
		for _, i := range d.files {
			row := besideOf(files[i].Name)
			is[files[i].Name] = row != nil &&
				!slices.ContainsFunc(d.files, func(k int) bool { return row.Files.Knows(files[k].Name) }) ||
				(releaseRow(files[i]) != nil || hostnameOf(files[i]) != "" || speedsOf(files[i]) != nil || isCounters(files[i])) && len(d.files) == 1
		}
	}
	rest = slices.DeleteFunc(slices.Clone(files), func(f lint.File) bool { return is[f.Name] })
	return rest, len(files) - len(rest)
}

// besideOf returns the row that reads files with this name together with its own; nil: none.
func besideOf(name string) *target.Target {
	for _, row := range All {
		if row.Files != nil && !row.Files.Knows(name) &&
			slices.ContainsFunc(row.Beside, func(base string) bool { return lint.Named(name, base) }) {
			return row
		}
	}
	return nil
}
