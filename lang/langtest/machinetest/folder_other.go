//go:build !unix

package machinetest

import "errors"

func folder(string) (string, error) { return "", errors.ErrUnsupported }
