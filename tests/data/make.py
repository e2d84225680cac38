#!/usr/bin/env python3
"""Makes the arrays of this folder: `python make.py` (NumPy 2 or later), the same bytes every time.

    photo.npy     u8  [216, 384, 3]   a landscape: sky, sun, hills, haze, grain; rows x columns x RGB
    thumb.npy     u8  [3, 27, 48]     photo, channels first, every 8th row, every 8th column backwards
    tensor.npy    f32 [2, 3, 5, 7]    random numbers, Fortran order
    corner.npy    f32 [7, 3, 2]       tensor, axes 3,1,2,0, then [::-1, :, 1:40:3, -1]
    fortran.npy   f32 [3, 2, 3]       tensor, [0, ..., 1:3, 6:1:-2], axes 0 and 2 flipped, Fortran order
    slices.txt    what NumPy takes out of arange(n), one slice a line

The image and the numbers are made by this script for this project, from formulas alone. Script and
data are licensed MIT OR Apache-2.0, like the rest of the repository.
"""

import itertools
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def noise(rows, cols, cell, rng):
    """Smooth noise in -1 .. 1: random values on a grid of `cell` pixels, blended between."""
    grid = rng.uniform(-1, 1, (rows // cell + 2, cols // cell + 2))
    y, x = np.arange(rows) / cell, np.arange(cols) / cell
    j, i = y.astype(int), x.astype(int)
    smooth = lambda t: t * t * (3 - 2 * t)
    v, u = smooth(y - j)[:, None], smooth(x - i)[None, :]
    row = lambda k: grid[np.ix_(k, i)] * (1 - u) + grid[np.ix_(k, i + 1)] * u
    return row(j) * (1 - v) + row(j + 1) * v


def photo(rows=216, cols=384):
    rng = np.random.default_rng(2024)
    y, x = np.mgrid[0:rows, 0:cols].astype(float)
    color = lambda *rgb: np.array(rgb, float)

    # Sky: deep blue above, warm at the horizon, with soft clouds and the sun's glow.
    height = (y / rows)[..., None]
    image = color(70, 120, 190) * (1 - height) + color(250, 205, 160) * height
    clouds = sum(noise(rows, cols, c, rng) * c for c in (64, 32, 16, 8)) / 60
    image += np.clip(clouds, 0, 1)[..., None] * color(70, 60, 55) * (1 - height)
    far = np.hypot(x - 0.68 * cols, y - 0.42 * rows)
    image += np.exp(-far / 40)[..., None] * color(160, 120, 60)
    image[far < 13] = color(255, 246, 214)

    # Hills, far to near: each ridge darker and greener than the one behind it.
    for k, (base, rough) in enumerate([(0.55, 26), (0.64, 34), (0.76, 44)]):
        ridge = base * rows + sum(noise(1, cols, c, rng)[0] * rough * c / 128 for c in (96, 32, 9))
        depth = y - ridge[None, :]
        leaves = noise(rows, cols, 5 - k, rng)[..., None] * (6 + 7 * k)
        hill = color(116, 128, 140) * (1 - k / 2.6) + color(52, 92, 40) * (k / 2.6) + leaves
        hill = hill - np.clip(depth, 0, 60)[..., None] * 0.45
        image = np.where((depth > 0)[..., None], hill, image)

    image += rng.normal(0, 2.5, image.shape)  # grain
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def slices():
    """All short slices, and some that clamp, of arrays of 0, 1, 5 and 8 elements."""
    bounds = ["", "0", "1", "3", "7", "8", "30", "-1", "-4", "-8", "-9", "99999999999999999999"]
    steps = ["", ":2", ":-1", ":-3", ":11", ":-9223372036854775807"]
    chosen = [f"{a}:{b}{s}" for a, b, s in itertools.product(bounds, bounds, steps)]
    for n, stride in [(8, 7), (5, 17), (1, 41), (0, 43)]:
        for text in chosen[::stride]:
            parts = [int(part) if part else None for part in text.split(":")]
            found = np.arange(n)[slice(*parts)]
            yield f"{n} {text} {','.join(map(str, found)) or '-'}"


def main():
    def save(name, array):
        np.save(HERE / name, array)

    image = photo()
    save("photo.npy", image)
    save("thumb.npy", np.ascontiguousarray(image.transpose(2, 0, 1)[:, ::8, ::-8]))

    tensor = np.random.default_rng(7).standard_normal((2, 3, 5, 7)).astype("<f4")
    save("tensor.npy", np.asfortranarray(tensor))
    save("corner.npy", np.ascontiguousarray(tensor.transpose(3, 1, 2, 0)[::-1, :, 1:40:3, -1]))
    save("fortran.npy", np.asfortranarray(np.flip(tensor[0, ..., 1:3, 6:1:-2], (0, 2))))

    (HERE / "slices.txt").write_text("\n".join(slices()) + "\n")


if __name__ == "__main__":
    main()
