// Package hardware has the releases of Cumulus Linux that run on each switch model ([Model]).
package hardware

import "github.com/rocec/rocec/targets/cumulus/grammar"

// Model states which of the releases for its chip run on a switch model.
type Model struct {
	Since  grammar.Release // the first release; zero: not known, an old one
	Before grammar.Release // the first release that no longer runs on it; zero: none
	Not    grammar.Release // a release after Since that, with its maintenance releases, does not run on it; zero: none
	Full   grammar.Release // the first release whose ports run at full speed; zero: all do
	Slow   int             // the highest speed before Full, in Mb/s
	Source string
}

// Models contains a row for each model, by its name. Sources: What's New in 3.7, 4.0, 4.1, 4.2, 4.3, 5.0 to 5.6, 5.10 to 5.13, 5.15 and
// 5.18, with their hardware notes, and the ports chapters of 5.14 to 5.18. Release 4.0 left some models out. No source states which later
// release supports them again, so rocec excludes only 4.0 for these models.
var Models = map[string]Model{
	"s5248f":     {Since: grammar.Release{3, 7, 0}, Source: "new in 3.7.0"},
	"s5232f":     {Since: grammar.Release{3, 7, 2}, Source: "new in 3.7.2"},
	"z9264f":     {Since: grammar.Release{3, 7, 3}, Source: "new in 3.7.3"},
	"as7816-64x": {Since: grammar.Release{3, 7, 3}, Source: "new in 3.7.3"},
	"as7726-32x": {Since: grammar.Release{3, 7, 3}, Source: "new in 3.7.3"},
	"as7326-56x": {Since: grammar.Release{3, 7, 3}, Source: "new in 3.7.3"},
	"sn3700c":    {Since: grammar.Release{4, 0, 0}, Source: "new in 4.0"},
	"sn3700": {
		Since: grammar.Release{4, 0, 0}, Full: grammar.Release{4, 2, 1}, Slow: 100_000,
		Source: "new in 4.0, with 100G; 200G from 4.2.1",
	},
	"sn4600c": {Since: grammar.Release{4, 2, 0}, Source: "new in 4.2.0"},
	"sn3420":  {Since: grammar.Release{4, 2, 0}, Source: "new in 4.2.0"},
	"sn4700":  {Since: grammar.Release{4, 2, 1}, Source: "new in 4.2.1"},

	"sn2201":   {Since: grammar.Release{5, 2, 0}, Source: "new in 5.2.0"},
	"sn3750sx": {Since: grammar.Release{5, 3, 0}, Source: "new in 5.3.0, for early access"},
	"sn5600": {
		Since: grammar.Release{5, 4, 0}, Not: grammar.Release{5, 5},
		Source: "new in 5.6.0; an image of 5.4.0 for it alone was a proof of concept",
	},
	"sn5400":  {Since: grammar.Release{5, 10, 0}, Source: "new in 5.10.0"},
	"sn5600d": {Since: grammar.Release{5, 12, 1}, Source: "new in 5.13.0; a first trial in 5.12.1"},
	"sn5610":  {Since: grammar.Release{5, 13, 1}, Source: "new in 5.13.1"},
	"sn5640":  {Since: grammar.Release{5, 14, 0}, Source: "new in 5.15.0; drafts of the manual of 5.14 have it as a beta"},
	"sn6600":  {Since: grammar.Release{5, 18, 0}, Source: "new in 5.18"},

	"s6000":    {Before: grammar.Release{4, 0, 0}, Source: "not in 4.0 and later"},
	"wedge100": {Before: grammar.Release{4, 0, 0}, Source: "not in 4.0 and later"},

	"s5048f":     {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"z9100":      {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"as4610-54t": {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"as5712-54x": {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"as7312-54x": {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"as7712-32x": {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"ag9032v1":   {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"sn2010":     {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
	"sn2100":     {Not: grammar.Release{4, 0}, Source: "not in 4.0"},
}
