package targets

import (
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Placed is a collected file with its place on a switch.
type Placed struct {
	Device *ir.Device
	File   string // as collected
	Path   string // path on the device
	Data   []byte // in the form in which the device stores it
}

// Place returns the places of collected files on the switches of a fabric, device by device: the stored configuration of each, or else the
// running configuration, converted to the stored form. not lists the other files, each with the reason why it has no place on a device.
func Place(f *ir.Fabric, files []lint.File) (placed []Placed, not []NotRead) {
	j := newJudging(f, files, devicesOf(files))
	taken := map[string]string{} // from the path on a device to its file
	for k := range j.devices {
		d := &j.devices[k]
		var why string
		switch row := writerOf(d.of); {
		case d.of == nil:
			why = "the fabric has no device of this name"
		case d.of.Switch == nil:
			why = "it is of a host, which stores no such file"
		case row == nil:
			why = "rocec writes no file of this switch"
		default:
			here, left := placeOn(j, d, row, taken)
			placed, not = append(placed, here...), append(not, left...)
			continue
		}
		for _, i := range d.files {
			not = append(not, NotRead{j.files[i].Name, why})
		}
	}
	return placed, not
}

// writerOf returns the target that writes a switch; nil: not found.
func writerOf(d *ir.Device) *target.Target {
	if d == nil || d.Switch == nil {
		return nil
	}
	i := slices.IndexFunc(All, func(row *target.Target) bool {
		return row.OS != nil && row.OS.Name == d.Switch.OS && (row.Serves == nil || row.Serves(d))
	})
	if i < 0 {
		return nil
	}
	return All[i]
}

// placeOn returns the places of the files of one switch. A running configuration replaces the first stored file if that is missing.
func placeOn(j *judging, d *device, row *target.Target, taken map[string]string) (placed []Placed, not []NotRead) {
	stored := map[string]string{} // the path of each file that the system stores, by its base name
	for _, q := range row.Asks {
		if at, is := strings.CutPrefix(q.Cmd, "cat "); is && q.File != row.ReleaseFile {
			stored[q.File] = at
		}
	}
	first := row.Asks[0].File
	var running []int
	key := func(at string) string { return d.of.Name + ":" + at }
	for _, i := range d.files {
		file := &j.files[i]
		_, base := ownerOf(file.Name)
		switch at := stored[base]; {
		case file.Why != "":
			not = append(not, NotRead{file.Name, file.Why})
		case j.rowOf(*file) != row || !j.read[i].settings():
			not = append(not, NotRead{file.Name, "it has no configuration that the switch stores"})
		case at == "":
			running = append(running, i)
		case taken[key(at)] != "":
			not = append(not, NotRead{file.Name, taken[key(at)] + " is used instead"})
		default:
			taken[key(at)] = file.Name
			placed = append(placed, Placed{Device: d.of, File: file.Name, Path: at, Data: file.Data})
		}
	}
	for _, i := range running {
		file, at := &j.files[i], stored[first]
		why := ""
		switch {
		case taken[key(at)] != "":
			why = taken[key(at)] + " is used instead"
		case row.Stored == nil: // a partial configuration may contain only settings that the system generates
			why = row.Understand(target.Identity{}, map[string][]byte{file.Name: file.Data}).Coverage.Part
		}
		if why != "" {
			not = append(not, NotRead{file.Name, why})
			continue
		}
		taken[key(at)] = file.Name
		placed = append(placed, Placed{Device: d.of, File: file.Name, Path: at, Data: file.Data})
	}
	for n := 0; row.Stored != nil && n < len(placed); n++ {
		data, why := row.Stored(placed[n].Data)
		if why != "" {
			not = append(not, NotRead{placed[n].File, why})
			placed = slices.Delete(placed, n, n+1)
			n--
			continue
		}
		placed[n].Data = data
	}
	sort.Slice(not, func(i, k int) bool { return not[i].File < not[k].File })
	return placed, not
}
