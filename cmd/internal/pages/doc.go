// Package pages has only tests, which run the commands that the manual shows.
package pages
