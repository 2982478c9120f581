package deploy

import (
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// RightsOf contains the rights of a file or folder on a device.
type RightsOf struct {
	Path string
	Rights
}

// Keys returns owner and mode as settings, if they change. For another path than the file's, the setting contains the path.
func (r *RightsChange) Keys(file string) (out []KeyChange) {
	of := ""
	if r.Path != file {
		of = " of " + r.Path
	}
	if before, after := r.Before.Owner(), r.After.Owner(); before != after {
		out = append(out, KeyChange{Key: "owner" + of, Action: Update, Before: before, After: after})
	}
	if before, after := r.Before.Perm(), r.After.Perm(); before != after {
		out = append(out, KeyChange{Key: "mode" + of, Action: Update, Before: before, After: after})
	}
	return out
}

// RightsKeys returns the owners and modes that a change corrects, as settings.
func (c *Change) RightsKeys() (out []KeyChange) {
	for i := range c.Rights {
		out = append(out, c.Rights[i].Keys(c.Path)...)
	}
	return out
}

// Replaces reports whether the change puts a new file in place, for new content or because users other than root may change the present
// file. Programs of these users may have the file open, so a change of its owner and mode is not enough.
func (c *Change) Replaces() bool {
	return c.Writes() || !c.Live() && c.After != nil && slices.ContainsFunc(c.Rights, func(r RightsChange) bool {
		return r.Path == c.Path || strings.HasPrefix(c.Path, r.Path+"/")
	})
}

// OnlyRights reports whether the change consists of owners and modes. Such a change puts nothing to use, because the content stays.
func (c *Change) OnlyRights() bool {
	return len(c.Rights) > 0 && c.Base == c.Target && c.Action == Update
}

// confDir is rocec's folder for files that programs of root read. All other folders of files belong to the system.
const confDir = "/etc/rocec"

// own reports whether rocec makes the folder or file, and not the system.
func own(name, root string) bool { return name == root || strings.HasPrefix(name, root+"/") }

// Folders returns all parent folders of the files of a device, each once, in order.
func Folders(d *target.Device) (out []string) {
	for i := range d.Files {
		f := &d.Files[i]
		if f.Live != nil {
			continue
		}
		for _, name := range slices.Concat([]string{f.Path}, f.Places) {
			for dir := path.Dir(name); !slices.Contains(out, dir); dir = path.Dir(dir) {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	return out
}

// rights returns the rights of users other than root on a file and its folders. The first file of a device also has the rights on the
// folder of rocec's state.
func (h *Have) rights(f *target.File, c *Content, first bool) (out []RightsChange) {
	if f.Live != nil {
		return nil
	}
	if c.Rights != nil && *c.Rights != c.Rights.OfFile() {
		out = append(out, RightsChange{f.Path, *c.Rights, c.Rights.OfFile()})
	}
	for _, r := range h.Rights {
		switch {
		case own(r.Path, confDir) && own(f.Path, r.Path), first && r.inState() && r.UID == 0 && !r.ofRun():
			if r.Rights != r.OfFolder() {
				out = append(out, RightsChange{r.Path, r.Rights, r.OfFolder()})
			}
		}
	}
	return out
}

// inState reports whether the file or folder belongs to rocec's state.
func (r *RightsOf) inState() bool { return r.Open() && own(r.Path, StateDir) }

// ofRun reports whether the file or folder belongs to a run. Its content may be executed, so an apply refuses it and does not correct its
// rights.
func (r *RightsOf) ofRun() bool { return strings.HasPrefix(r.Path, StateDir+"/txn-") }

var topicRights = diag.Topic{
	Code: "device-rights", Summary: "others than root may change what root runs",
}

// judgeRights reports rights of users other than root that no apply corrects. They are rights on files that a run may have executed or
// that other users made, and on folders of the system. For a group of the system it only makes a notice, because Debian lets the group
// staff write /usr/local.
func (h *Have) judgeRights(d *target.Device) (found diag.List) {
	dirs := Folders(d)
	for i := range h.Rights {
		r := &h.Rights[i]
		name, is := target.Escape(r.Path), "owner "+r.Owner()+", mode "+r.Perm()
		sys := slices.Contains(dirs, r.Path) && !own(r.Path, confDir)
		direct := slices.ContainsFunc(d.Files, func(f target.File) bool { return f.Live == nil && path.Dir(f.Path) == r.Path })
		switch {
		case r.inState() && (r.UID != 0 || r.ofRun()):
			topicRights.Warnf(&found, d.At, "Users other than root may have changed %s on %s (%s), and a run executes files there as root. "+
				"rocec executes no file there. Inspect it, and remove it.", name, d.Name, is)
		case !sys || !r.Open() || r.UID == 0 && r.Mode&sticky != 0 && !direct:
		case r.UID != 0 || r.Mode&0o002 != 0:
			topicRights.Warnf(&found, d.At, "Users other than root may put files into %s on %s (%s), so root may run one of them. "+
				"rocec writes nothing there. Make root the owner of the folder, and run `%s`.", name, d.Name, is,
				diag.Command("chmod go-w", diag.Path("FOLDER", r.Path)))
		default:
			topicRights.Noticef(&found, d.At, "The group %d may put files into %s on %s (%s), so its members may become root.", r.GID, name,
				d.Name, is)
		}
	}
	if h.Unnamed > 0 {
		topicRights.Warnf(&found, d.At, "Users other than root may change %s on %s, beyond the first %d. Look at all of %s on the device.",
			diag.Count(h.Unnamed, "more path"), d.Name, len(h.Rights), StateDir)
	}
	return found
}
