package main

import (
	"cmp"
	"path"
	"sync"
	"testing"
)

// environments contains the variables that tests set for the program, by the name of the test. With variables of the process, tests could
// not run in parallel.
var environments sync.Map // name of a test: map[string]string

// setenv sets a variable of the environment in which [rocec] runs, for a test and its subtests.
func setenv(t *testing.T, name, value string) {
	t.Helper()
	vars := map[string]string{}
	if was, ok := environments.Load(t.Name()); ok {
		vars = was.(map[string]string)
	} else {
		t.Cleanup(func() { environments.Delete(t.Name()) })
	}
	vars[name] = value
	environments.Store(t.Name(), vars)
}

// getenv returns a variable that the test or one of its parents has set. By default only COLUMNS is set, to 100.
func getenv(t *testing.T, name string) string {
	t.Helper()
	for test := t.Name(); test != "."; test = path.Dir(test) {
		if vars, ok := environments.Load(test); ok {
			if value, ok := vars.(map[string]string)[name]; ok {
				return value
			}
		}
	}
	return cmp.Or(map[string]string{"COLUMNS": "100"}[name])
}
