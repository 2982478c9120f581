package deploy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// Text returns full sentences with the content of the device, whether the device uses it, the leftovers, and at most one command to go
// on. The text depends only on the typed members of the result. Err, Undo and Cleanup contain the causes.
func (r *Result) Text() string {
	var parts []string
	say := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch r.Outcome {
	case Refused, NotStarted:
		say("Nothing was changed.")
	case Restored, Reverted:
		say(r.wentBack())
		say(r.usesOld())
	case Conflict:
		say(fmt.Sprintf("Another person or program changed %s meanwhile, so it was left alone.%s", r.paths(HoldsOther), r.others()))
	case Unconfirmed:
		if r.InUse == UseYes {
			say("The new content is in use.")
		} else {
			say("The new content is in place. " + r.unread())
		}
	case Unknown:
		say(r.unknown())
	}
	if r.Adjusted() {
		say("The device uses other values than those that were written:" + r.adjusted())
	}
	for _, f := range r.Files {
		if f.Refused != "" {
			say(fmt.Sprintf("The vendor's checker refused %s when it was back in place: %s", f.Path, stopped(f.Refused)))
		}
	}
	if r.Acted.Who != "" {
		say(r.Acted.String() + ".")
	}
	if len(r.Notes) > 0 {
		say(fmt.Sprintf("During the undo, the device printed: %s.", strings.Join(r.Notes, "; ")))
	}
	if r.Backup && (r.Outcome == Conflict || r.Outcome == Unknown) {
		say("The content from before is in " + r.BackupDir() + " on the device.")
	}
	say(r.ahead())
	return strings.Join(parts, " ")
}

// BackupDir returns the folder in which a device keeps the content from before the run.
func (r *Result) BackupDir() string { return StateDir + "/backup/" + r.Run }

// ahead returns sentences with the leftovers on the device, the device's own next action, and the command to go on.
func (r *Result) ahead() string {
	next, until, left := r.Next(), "", ""
	if r.Until > 0 {
		until = fmt.Sprintf("The device undoes the change by itself within %s, unless ", r.Until.Round(time.Second))
	}
	if len(r.Left) > 0 {
		remain := "remain"
		if r.LeftUnseen {
			remain = "may remain"
		}
		left = fmt.Sprintf("On the device %s: %s.", remain, strings.Join(r.Left, ", "))
	}
	var parts []string
	switch {
	case r.Outcome == Unconfirmed && until != "":
		parts = append(parts, until+"it is confirmed: "+next)
	case r.Outcome == Unconfirmed:
		parts = append(parts, "Keep it: "+next)
	case r.Outcome == Unknown:
		switch {
		case until == "":
		case r.settled():
			parts = append(parts, fmt.Sprintf("The device tries again by itself within %s.", r.Until.Round(time.Second)))
		default:
			parts = append(parts, until+"the run goes on.")
		}
		parts = append(parts, left)
		switch {
		case next == "":
		case r.Over:
			parts = append(parts, "See the changes that it needs: "+next)
		case r.Err != nil && r.Err.Kind == HostKey:
			parts = append(parts, "If the device was replaced: "+next)
		case r.settled():
			parts = append(parts, "After this is corrected, run "+next)
		default:
			parts = append(parts, "When the device answers, run "+next)
		}
	case left != "":
		parts = append(parts, left, "Take them away: "+next)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// Next returns the command to go on with the device. It returns "" if nothing is left to do, or if only a person can decide. If a run can
// be resumed, the command never removes its lock.
func (r *Result) Next() string {
	switch name := r.Device.Name; {
	case r.Outcome == Unconfirmed:
		return RunCommand("confirm", r.Run)
	case r.Outcome == Unknown && r.Over: // the device would report the same result again
		return diag.Rocec("plan", OnDevice(name))
	case r.Outcome == Unknown && r.Err != nil && r.Err.Kind == HostKey:
		return diag.Rocec("apply", diag.Flag("--replace", diag.Arg("DEVICE", name)))
	case r.Outcome == Unknown && (r.settled() || r.Back):
		return RunCommand("rollback", r.Run, OnDevice(name))
	case r.Outcome == Unknown:
		return RunCommand("resume", r.Run)
	case len(r.Left) > 0:
		return UnlockCommand(r.Run, name)
	}
	return ""
}

// settled reports whether the device has reported its content and could not go back. Such a device does not go on by itself.
func (r *Result) settled() bool { return r.Undo != nil && !r.Undo.Lost && !r.holds(HoldsUnknown) }

// wentBack returns a sentence about the content of a device after its undo.
func (r *Result) wentBack() string {
	text := "The earlier content is back in place."
	moved := r.Over && (r.holds(HoldsNew) || r.holds(HoldsOther) || r.holds(HoldsUnknown))
	switch {
	case r.Outcome == Restored && moved:
		return "The earlier content was put back, and the files have changed since." + r.others()
	case r.Outcome == Restored:
		return text
	case r.By == ByTimer:
		text = "The device has put back the earlier content by itself, because the change was not confirmed in time."
	case r.By == ByBoot:
		text = "The device restarted (reboot or power cut) before the change was confirmed, and put back the earlier " +
			"content by itself."
	default:
		text = "The device has put back the earlier content by itself; the change was not confirmed."
	}
	if moved {
		text += " The files have changed since." + r.others()
	}
	return text
}

// usesOld returns a sentence whether a device uses the restored content. After the end of the run, that is unknown.
func (r *Result) usesOld() string {
	switch {
	case r.Over:
		return ""
	case !r.Used:
		return "The device never used the new content."
	case r.InUse == UseYes:
		return "The device uses it."
	}
	return r.unread()
}

// unread returns a sentence that the used content of a device is not confirmed, with the reason.
func (r *Result) unread() string {
	why := ""
	if r.Unread != "" {
		why = " (" + strings.TrimSuffix(r.Unread, ".") + ")"
	}
	switch {
	case r.By == ByBoot:
		return "It was back before anything read the files; whether the device uses it is unknown" + why + "."
	case r.Unread != "":
		return "rocec told the device to load it; whether it did is unknown" + why + "."
	}
	return "Whether the device uses it is unknown."
}

// unknown returns sentences with the possible content of each file.
func (r *Result) unknown() string {
	switch {
	case r.Bare:
		return "The device has nothing of the run: no folder, no lock, no backup." + r.others()
	case r.settled() && len(r.Files) == 0:
		return "The device could not go back to the earlier content. Which content it uses is unknown."
	case r.settled() && !r.holds(HoldsNew) && !r.holds(HoldsOther):
		return "The earlier content is back in place. Whether the device uses it is unknown."
	case r.settled():
		var stuck []string
		for _, f := range r.Files {
			if f.Holds != HoldsOld {
				stuck = append(stuck, f.Path)
			}
		}
		return fmt.Sprintf("The earlier content could not be put back into %s.%s", strings.Join(stuck, ", "), r.others())
	}
	return "The result of the change is not known." + r.others()
}

// Unsure reports whether the use of a restored content is not confirmed, on a device that may have used the new content.
func (r *Result) Unsure() bool {
	return (r.Outcome == Restored || r.Outcome == Reverted) && r.Used && !r.Over && r.InUse != UseYes
}

// holds reports whether a content is the last known content of a file.
func (r *Result) holds(what string) bool {
	return slices.ContainsFunc(r.Files, func(f FileResult) bool { return f.Holds == what })
}

// Adjusted reports whether the device uses a value in another form than written.
func (r *Result) Adjusted() bool {
	return slices.ContainsFunc(r.Files, func(f FileResult) bool { return f.Adjusted != "" })
}

// adjusted lists the values that the device uses in another form, file by file.
func (r *Result) adjusted() string {
	var b strings.Builder
	for _, f := range r.Files {
		if f.Adjusted != "" {
			fmt.Fprintf(&b, " %s: %s.", f.Path, f.Adjusted)
		}
	}
	return b.String()
}

// Objected reports whether the vendor's checker refused restored content.
func (r *Result) Objected() bool {
	return slices.ContainsFunc(r.Files, func(f FileResult) bool { return f.Refused != "" })
}

// others returns a list with the content of each file, for outcomes where the files differ.
func (r *Result) others() string {
	var parts []string
	for _, f := range r.Files {
		what := map[string]string{
			HoldsOld: "the content from before", HoldsNew: "the new content", HoldsOther: "something else",
		}[f.Holds]
		if what == "" {
			parts = append(parts, f.Path+": not known, the content from before or the new one, in full")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s, in use: %s", f.Path, what, f.InUse))
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, "; ") + "."
}

func (r *Result) paths(holds string) string {
	var paths []string
	for _, f := range r.Files {
		if f.Holds == holds {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return "a file"
	}
	return strings.Join(paths, ", ")
}

// stopped ends text of a device with a full stop.
func stopped(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}
