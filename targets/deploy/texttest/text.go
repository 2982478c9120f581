// Package texttest checks the texts about devices, for tests.
package texttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/deploy"
)

var inUse = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`in use: (\w+)`) })

var command = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`rocec (confirm|resume|rollback|plan|apply) [^.,;:]*[a-z0-9]`)
})

// resumes matches the command that resumes a run, and not the command that abandons it.
var resumes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`rocec resume [^-]`) })

// Untrue lists the claims in the text of a result that the result's state contradicts.
func Untrue(r *deploy.Result) (wrong []string) {
	text := r.Text()
	says := func(part string) bool { return strings.Contains(text, part) }
	holds := func(what ...string) bool {
		return slices.ContainsFunc(r.Files, func(f deploy.FileResult) bool { return slices.Contains(what, f.Holds) })
	}
	open := r.Outcome == deploy.Unconfirmed || r.Outcome == deploy.Unknown
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	back := says("is back in place")
	check(!back || !holds(deploy.HoldsNew, deploy.HoldsOther, deploy.HoldsUnknown),
		"what was there before is back, and a file holds something else")
	check(!back || !says("could not be put back"), "what was there before is back, and could not be put back")
	for _, f := range r.Files {
		_, stuck, _ := strings.Cut(text, "could not be put back into ")
		stuck, _, _ = strings.Cut(stuck, ". ")
		check(f.Holds != deploy.HoldsOld || !strings.Contains(stuck, f.Path),
			"%s holds the content from before, and could not be put back", f.Path)
		check(!says(f.Path+": the content from before") || f.Holds == deploy.HoldsOld, "%s holds the content from before", f.Path)
		check(!says(f.Path+": the new content") || f.Holds == deploy.HoldsNew, "%s holds the new content", f.Path)
	}
	check(!says("The new content is in use.") && !says("The device uses it.") || r.InUse == deploy.UseYes, "in use, and that was not read")
	for _, use := range inUse().FindAllStringSubmatch(text, -1) {
		check(slices.ContainsFunc(r.Files, func(f deploy.FileResult) bool { return f.InUse == use[1] }), "in use: %s, of no file", use[1])
	}
	check(!says("never used the new content") || !r.Used, "it never used the new content, and may have")
	check(!r.Unsure() || says(" unknown"), "whether it uses what is back is unknown, and that is not said")
	check(!says(deploy.StateDir+"/backup/") || r.Backup, "a backup is named that was not seen")
	check((says("undoes the change by itself") || says("tries again by itself")) == (r.Until > 0),
		"undoes the change by itself, or not")
	check(!back || !says("undoes the change"), "what was there before is back, and the device undoes the change")
	check(!r.Bare || !back && !says("has put back") && !says("could not") && !says("undoes"),
		"another machine, and what became of the run there")
	check(says("Nothing was changed.") == (r.Outcome == deploy.Refused || r.Outcome == deploy.NotStarted),
		"nothing was changed, or not")
	for _, l := range r.Left {
		check(strings.Count(text, l) == 1, "%s remains, and is not named once", l)
	}
	commands := command().FindAllString(text, -1)
	switch next := r.Next(); {
	case next == "":
		check(!open && len(commands) == 0, "no command goes on, and %q are named", commands)
	default:
		check(slices.Equal(commands, []string{next}), "%q goes on, and %q are named", next, commands)
	}
	check(!says("rocec resume --abandon") || !open, "a lock is to be taken away of a run that can be gone on with")
	check(!resumes().MatchString(text) || !r.Back, "what goes back is resumed, which keeps it")
	check(text != "" || r.Outcome == deploy.Applied || r.Outcome == deploy.Unchanged, "nothing is said")
	end := "." // no full stop follows a command, so that a person can paste it
	if next := r.Next(); next != "" {
		end = next
	}
	check(text == "" || strings.HasSuffix(text, end) && !says("..") && !says("  "), "not sentences")
	for i, w := range wrong {
		wrong[i] = w + ": " + text
	}
	return wrong
}
