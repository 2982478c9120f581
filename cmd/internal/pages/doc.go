// Package pages has tests alone: the commands that the manual shows, as a person types them.
package pages
