// Package examples names the variants of the fabrics in this folder. An example has its defaults, and a [Variant] has other values of
// variables.
package examples

// Variant is an example with arguments of its own.
type Variant struct {
	Name    string   // of its folder in golden/
	Example string   // the example's folder
	Args    []string // further arguments of rocec, such as --var k=v
}

// Variants is every variant that golden/ holds beside the examples with their defaults.
var Variants = []Variant{
	{"storage-and-training@4.3.0", "storage-and-training", []string{"--var", "tor_version=4.3.0"}},
	{"mixed-releases@upgraded", "mixed-releases", []string{"--var", "upgraded=leaf1"}},
}
