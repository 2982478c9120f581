# background: tor

switch "tor" {
  model   = "s5048f" # want "headroom-unpublished: .*no row of s5048f .Tomahawk\+. at 25G"
  version = "3.7.12"
}
