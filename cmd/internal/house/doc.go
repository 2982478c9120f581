// Package house has no code: its tests hold the source of the whole module to its rules. Some are walls, such as the table of who imports
// whom. The others are measures that only go down: testdata/ceilings.txt has a ceiling for each figure.
package house
