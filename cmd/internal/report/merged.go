package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// PagesOf returns the page of a code. For a former code it returns the pages of the codes into which it was merged, and a text that
// states the merge.
func PagesOf(code string) (pages []*docs.Page, merged string) {
	if p := docs.OfCode(code); p != nil {
		return []*docs.Page{p}, ""
	}
	now := targets.Merged()[code]
	for _, one := range now {
		pages = append(pages, docs.OfCode(one))
	}
	if now != nil {
		merged = fmt.Sprintf("%s is merged into %s. SARIF rules and baselines that name it are still valid.\n\n", code, diag.And(now))
	}
	return pages, merged
}

// MergedTitle is the title of [MergedText].
const MergedTitle = "Former codes, and the codes into which they are merged"

// MergedText lists the former codes, each with the codes into which it was merged.
func MergedText() string {
	var lines []string
	for old, now := range targets.Merged() {
		lines = append(lines, fmt.Sprintf("  %-28s %s\n", old, strings.Join(now, ", ")))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// CodeNames returns all codes and former codes, sorted by name.
func CodeNames() (names []string) {
	for _, p := range docs.Pages() {
		if p.Code != "" {
			names = append(names, p.Code)
		}
	}
	for old := range targets.Merged() {
		names = append(names, old)
	}
	return names
}
