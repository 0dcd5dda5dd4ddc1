"""Awkward tables, each with the expected shape and classes or the expected message."""

import gzip
import random

from dsgec.data.options import Preprocessing, ReadingOptions

ROWS = "1,2,x\n3,4,y\n5,7,x\n"
TABLE = "a,b,c\n" + ROWS
MANY = "".join(f"{i},{i % 7},{'xy'[i % 2]}\n" for i in range(2, 42))
DATES = "".join(f"2024-01-{i:02},{i},{'xy'[i % 2]}\n" for i in range(1, 29))
IDS = "".join(f"id{i * 7},{i * i},{'xy'[i % 2]}\n" for i in range(1, 29))


def works(rows, features, classes=("x", "y"), notes=()):
    return {"rows": rows, "features": tuple(features), "classes": classes, "notes": notes}


def fails(*parts):
    return {"fails": parts}


PLAIN = works(3, ("a", "b"))

CASES = {
    # How files are written.
    "plain": (TABLE, PLAIN),
    "utf-8 mark": ("\ufeff" + TABLE, PLAIN),
    "utf-16": (TABLE.encode("utf-16"), PLAIN),
    "utf-32": (TABLE.encode("utf-32"), PLAIN),
    "utf-16 without mark": (TABLE.encode("utf-16-le"), PLAIN),
    "utf-16 without mark, told": (
        TABLE.encode("utf-16-le"),
        PLAIN,
        ReadingOptions(encoding="utf-16-le"),
    ),
    "utf-16 with its mark, told": (
        TABLE.encode("utf-16"),
        PLAIN,
        ReadingOptions(encoding="utf-16-le"),
    ),
    "utf-32 with its mark, told": (
        ("\ufeff" + TABLE).encode("utf-32-be"),
        PLAIN,
        ReadingOptions(encoding="utf-32-be"),
    ),
    "latin-1": (
        "größe,b,c\n1,2,ä\n3,5,ö\n5,6,ö\n".encode("latin-1"),
        works(3, ("größe", "b"), ("ä", "ö"), ("is not UTF-8",)),
    ),
    "wrong encoding told": (
        "größe,b\n1,2\n".encode("latin-1"),
        fails("utf-8"),
        ReadingOptions(encoding="utf-8"),
    ),
    "no such encoding": (TABLE, fails("no encoding `klingon`"), ReadingOptions(encoding="klingon")),
    "gzip": (gzip.compress(TABLE.encode()), PLAIN),
    "half of a gzip": (gzip.compress(TABLE.encode() * 99)[:60], fails("within its packed data")),
    "binary junk": (random.Random(1).randbytes(5000), fails("is not")),
    "an image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200), fails("is a picture")),
    "nul in a cell": (TABLE.replace("4", "\0"), fails("NUL")),
    "crlf": (TABLE.replace("\n", "\r\n"), PLAIN),
    "cr": (TABLE.replace("\n", "\r"), PLAIN),
    "no end of the last line": (TABLE.removesuffix("\n"), PLAIN),
    "blank lines": ("\n\n" + TABLE.replace("\n", "\n\n"), PLAIN),
    "lines of separators": (TABLE + ",,\n,,\n", PLAIN),
    # Separators, quotes, decimals.
    "semicolon": (TABLE.replace(",", ";"), PLAIN),
    "tab": (TABLE.replace(",", "\t"), PLAIN),
    "bar": (TABLE.replace(",", "|"), PLAIN),
    "blanks": (TABLE.replace(",", "   "), PLAIN),
    "blanks around": (" a , b , c \n 1 , 2 , x \n 3 , 4 , y \n 5 , 7 , x \n", PLAIN),
    "odd separator, told": (TABLE.replace(",", "~"), PLAIN, ReadingOptions(separator="~")),
    "decimal comma": ("a;b;c\n1,5;2;x\n3,5;4;y\n5,0;7;x\n", PLAIN),
    "decimal comma and blanks": ("a\tb\tc\n1,5\t2\tx\n3,5\t4\ty\n5,5\t7\tx\n", PLAIN),
    "decimal comma in quotes, told": (
        'a,b,c\n"1,5",2,x\n"3,5",4,y\n"4,5",7,x\n',
        PLAIN,
        ReadingOptions(decimal=","),
    ),
    "thousands": (
        "a;b;c\n" + "".join(f"1,{i:03}.5;{i};{'xy'[i % 2]}\n" for i in range(10, 40)),
        works(30, ("b",), notes=("`a` is left out: its numbers are written with signs",)),
    ),
    "quoted commas": (
        '"a, or so",b,c\n1,2,"x, y"\n3,4,z\n5,7,z\n',
        works(3, ("a, or so", "b"), ("x, y", "z")),
    ),
    "quoted quotes": ('"a ""x""",b,c\n1,2,x\n3,4,y\n5,7,x\n', works(3, ('a "x"', "b"))),
    "quoted line ends": ('"a\nb",b,c\n1,2,x\n3,4,y\n5,7,x\n', works(3, ("a\nb", "b"))),
    "quoted numbers": ('a,b,c\n"1","2","x"\n"3","4","y"\n"5","7","x"\n', PLAIN),
    "apostrophes": ("'a','b','c'\n1,2,'x'\n3,4,'y'\n5,7,'x'\n", PLAIN),
    "a separator that is the usual quote": (
        TABLE.replace(",", '"'),
        fails("the separator cannot be the quote"),
        ReadingOptions(separator='"'),
    ),
    "a quote that is no separator then": (
        "a;b;c\n1;2;,x,\n3;4;y\n5;7;,x,\n",
        PLAIN,
        ReadingOptions(quote=","),
    ),
    "an open quote": ('a,b,c\n1,2,"x\n3,4,y\n', fails("t.csv:2:1", "not closed")),
    "text behind a quote": ('a,b,c\n1,2,"x"y\n3,4,y\n', fails("t.csv:2:1")),
    # What stands before.
    "the separator told by Excel": ("sep=;\r\n" + TABLE.replace(",", ";"), PLAIN),
    "the separator told and quoted": ('"sep=|"\n' + TABLE.replace(",", "|"), PLAIN),
    "the separator told and nothing more": ("sep=;\n", fails("is empty")),
    "the separator told, and a fault": (
        "sep=;\na;b;c\n1;2;x\n3;4\n",
        fails("t.csv:4:1: error: 2 cells"),
    ),
    "comments before": (
        "# made by hand\n# it's old, and, so, on\n#\n" + TABLE,
        PLAIN | {"notes": ("3 lines of comments",)},
    ),
    "comments before, and equal names": (
        "# made by hand\na,a,c\n" + ROWS,
        fails("t.csv:2:2", "both called `a`"),
    ),
    "comments before, and no header": ("# made by hand\n" + ROWS, works(3, ("x_1", "x_2"))),
    "a header that looks like a comment": ("#a,b,c\n" + ROWS, works(3, ("#a", "b"))),
    "comments only": ("# made by hand\n# today\n", fails("t.csv")),
    "cells that look like comments": (
        "#f00,2,x\n#0f0,4,y\nred,7,x\nred,8,y\n",
        works(4, ("x_1=#0f0", "x_1=#f00", "x_1=red", "x_2")),
    ),
    # Headers.
    "no header": (ROWS, works(3, ("x_1", "x_2"))),
    "no header, told": (
        "a,b,c\nd,e,f\na,e,c\nd,b,f\n",
        works(4, ("x_1=a", "x_1=d", "x_2=b", "x_2=e"), ("c", "f")),
        ReadingOptions(header=False),
    ),
    "header of numbers, told": (
        "1,2,3\n1,2,0\n3,4,1\n",
        works(2, ("1", "2"), (0, 1)),
        ReadingOptions(header=True),
    ),
    "no header, and a value missing in the first line": (
        "NA,2,x\n3,4,y\n5,7,x\n1,2,y\n",
        works(3, ("x_1", "x_2"), notes=("1 row",)),
        Preprocessing(missing="drop"),
    ),
    "no header, and a class missing in the first line": (
        "1,2,n/a\n3,4,y\n5,7,x\n1,5,y\n",
        works(3, ("x_1", "x_2"), notes=("1 row",)),
        Preprocessing(missing="drop"),
    ),
    "a header above missing values": ("a,b,c\nNA,2,x\n3,4,y\n5,7,x\n", fails("`a`: 1")),
    "names with blanks": (" a b ,b  ,c\n" + ROWS, works(3, ("a b", "b"))),
    "unicode names": ("α,名前,c\n" + ROWS, works(3, ("α", "名前"))),
    "equal names": ("a,a,c\n" + ROWS, fails("columns 1 and 2 are both called `a`", "Rename")),
    "an empty name": ("a,,c\n" + ROWS, fails("column 2 of t.csv has no name")),
    "index without a name": (
        ",a,b,c\n0,1,2,x\n1,3,4,y\n2,5,7,x\n",
        works(3, ("a", "b"), notes=("column 1 is left out",)),
    ),
    "names of rows as R writes them": (
        "a b c\nr1 1 2 x\nr2 3 4 y\nr3 5 7 x\n",
        PLAIN | {"notes": ("names the rows",)},
    ),
    "index that pandas has named": (
        "Unnamed: 0,a,b,c\n0,1,2,x\n1,3,4,y\n2,5,7,x\n",
        works(3, ("a", "b"), notes=("`Unnamed: 0` is left out",)),
    ),
    "separator at each end": (
        "a,b,c,\n1,2,x,\n3,4,y,\n5,7,x,\n",
        works(3, ("a", "b"), notes=("it is empty",)),
    ),
    "separator at the ends of rows": (
        "a,b,c\n1,2,x,\n3,4,y,\n5,7,x,\n",
        works(3, ("a", "b"), notes=("it is empty",)),
    ),
    "names that look like code": ("a;b\n1;x\n2;y\n", works(2, ("a",))),
    # Shapes.
    "nothing": ("", fails("is empty")),
    "blanks only": (" \n\n", fails("is empty")),
    "a header only": ("a,b,c\n", fails("a header but no rows")),
    "one row": ("a,b,c\n1,2,x\n", fails("the same target, `x`")),
    "one column": ("a\n1\n2\n", fails("one column", "--separator")),
    "ragged": (
        "a,b,c\n1,2,x\n3,4\n5,6,y,7\n",
        fails("t.csv:3:1: error: 2 cells where 3", "t.csv:4:1"),
    ),
    "5,000 columns": (
        ",".join(f"f{i}" for i in range(4999))
        + ",y\n"
        + "".join(
            ",".join(str((i * j) % 11 + j) for i in range(1, 5000)) + f",{'xy'[j % 2]}\n"
            for j in range(6)
        ),
        works(6, [f"f{i}" for i in range(4999)]),
    ),
    "a long cell": (
        "a,b\n1,x\n2," + "y" * (2 << 20) + "\n",
        fails("t.csv:3:1", "longer than 1 MB"),
    ),
    # Targets.
    "target first": ("c,a,b\nx,1,2\ny,3,4\nx,5,7\n", PLAIN, "c"),
    "target by number": ("c,a,b\nx,1,2\ny,3,4\nx,5,7\n", PLAIN, "1"),
    "no such target": (TABLE, fails("no column `cc`", "Did you mean `c`"), "cc"),
    "one class": ("a,c\n1,x\n2,x\n", fails("the same target")),
    "target empty": ("a,c\n1,\n2,?\n", fails("target column `c` of t.csv is empty")),
    "classes missing": (TABLE + "6,7,\n", fails("`c`: 1", "--missing drop")),
    "classes missing, dropped": (
        TABLE + "6,7,\n",
        PLAIN | {"notes": ("1 row",)},
        Preprocessing(missing="drop"),
    ),
    "classes of numbers missing": (
        "a,c\n1,0\n2,1\n3,0\n4,NA\n5,1\n",
        fails("missing values (`c`: 1)", "--missing drop", "target cannot be filled"),
    ),
    "classes and numbers missing": (
        "a,c\n1,0\n2,1\nNA,0\n4,NA\n5,1\n",
        fails("(`a`: 1; `c`: 1)", "--missing fill", "each way leaves out the rows that lack it"),
    ),
    "classes of numbers missing, dropped": (
        "a,c\n1,0\n2,1\n3,0\n4,None\n5,1\n",
        works(4, ("a",), (0, 1), ("1 row",)),
        Preprocessing(missing="drop"),
    ),
    "a quantity missing": (
        "a,c\n" + "".join(f"{i},{i}.5\n" for i in range(40)) + "1,NA\n",
        fails("missing values (`c`: 1)"),
    ),
    "a quantity missing, dropped": (
        "a,c\n" + "".join(f"{i},{i}.5\n" for i in range(40)) + "1,nan\n",
        works(40, ("a",), (), ("1 row",)),
        Preprocessing(missing="drop"),
    ),
    "texts missing": ("a,c\n1,x\n2,y\n3,x\n4,N/A\n5,y\n", fails("missing values (`c`: 1)")),
    "a class that may be missing": (
        "a,c\n1,none\n2,some\n3,None\n4,some\n5,none\n6,None\n",
        works(
            6,
            ("a",),
            ("None", "none", "some"),
            ("`none` in the target is taken for a class", "`None` in the target"),
        ),
    ),
    "words for missing only": ("a,c\n1,NA\n2,NA\n", fails("target column `c` of t.csv is empty")),
    "every label another": (
        "a,c\n" + "".join(f"{i},t{i}\n" for i in range(9)),
        fails("9 different labels", "--target"),
    ),
    "a quantity": ("a,c\n1,0.5\n2,1.5\n3,2.5\n", works(3, ("a",), ())),
    "a quantity with a text": (
        "a,c\n" + "".join(f"{i},{i}.5\n" for i in range(40)) + "1,oops\n",
        fails("t.csv:42:2", "`oops`"),
    ),
    "whole numbers as a quantity": (
        "a,c\n1,0\n2,1\n3,2\n",
        works(3, ("a",), ()),
        Preprocessing(task="regression"),
    ),
    "texts as a quantity": (
        TABLE,
        fails("t.csv:2:3", "not a finite number: `x`"),
        Preprocessing(task="regression"),
    ),
    # Columns.
    "missing": ("a,b,c\n1,NA,x\n,4,y\n5,?,x\n2,5,y\n", fails("`a`: 1; `b`: 2", "--missing fill")),
    "missing, filled": (
        "a,b,c\n1,NA,x\n,4,y\n5,?,x\n2,5,y\n",
        works(4, ("a", "b")),
        Preprocessing(missing="mean"),
    ),
    "missing, dropped": (
        "a,b,c\n1,NA,x\n3,4,y\n5,9,x\n2,5,y\n",
        works(3, ("a", "b"), notes=("1 row",)),
        Preprocessing(missing="drop"),
    ),
    "all missing": (
        "a,b,c\n,,x\n,,y\n",
        fails("no column of t.csv can be a feature", "it is empty"),
    ),
    "every row misses something": (
        "a,b,c\n,1,x\n1,,y\n,3,x\n2,,y\n",
        fails("every row of t.csv has missing values"),
        Preprocessing(missing="drop"),
    ),
    "a text among numbers": (
        "a,b\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(30)) + "n.k.,x\n",
        fails("t.csv:32:1: error: not a finite number: `n.k.`"),
    ),
    "infinite": ("a,b\n1,x\ninf,y\n1e999,x\n", fails("t.csv:3:1", "`inf`", "`1e999`")),
    "categories": (
        "a,colour,c\n1,red,x\n3,blue,y\n5,red,x\n",
        works(3, ("a", "colour=blue", "colour=red")),
    ),
    "categories of numbers and texts": (
        "a,size,c\n"
        + "".join(f"{i},{['1', '2', '3+'][i % 3]},{'xy'[i % 2]}\n" for i in range(2, 20)),
        works(18, ("a", "size=1", "size=2", "size=3+")),
    ),
    "booleans": ("a,b,c\n1,yes,x\n3,no,y\n5,yes,x\n", PLAIN),
    "constant": (
        "a,b,c\n1,2,x\n3,2,y\n5,2,x\n",
        works(3, ("a",), notes=("`b` is left out: it is 2 in every row",)),
    ),
    "all constant": ("a,b\n1,x\n1,y\n", fails("no column of t.csv can be a feature")),
    "many, all constant": (
        ",".join(f"a{i}" for i in range(30)) + ",b\n" + 30 * "1," + "x\n" + 30 * "1," + "y\n",
        fails("`a19`: it is 1 in every row; and 10 more)", "dsgec inspect"),
    ),
    "dates": ("day,b,c\n" + DATES, works(28, ("b",), notes=("it holds dates",))),
    "identifiers": ("id,b,c\n" + IDS, works(28, ("b",), notes=("as an identifier has",))),
    "101 categories": (
        "town,b,c\n" + "".join(f"t{i % 101},{i * i},{'xy'[i % 2]}\n" for i in range(1, 500)),
        works(499, ("b",), notes=("101 different texts in 499 rows, more than 100 categories",)),
    ),
    "100 categories": (
        "town,b,c\n" + "".join(f"t{i % 100:02},{i * i},{'xy'[i % 2]}\n" for i in range(1, 500)),
        works(499, [*(f"town=t{i:02}" for i in range(100)), "b"]),
    ),
    "rows numbered": (
        "n,b,c\n" + "".join(f"{i},{i * i % 9},{'xy'[i % 2]}\n" for i in range(1, 20)),
        works(19, ("n", "b"), notes=("`n` numbers the rows",)),
    ),
    "ignored": (TABLE, works(3, ("b",)), Preprocessing(ignore=("a",))),
    "target ignored": (TABLE, fails("is the target"), Preprocessing(ignore=("c",))),
    "two features of one name": (
        "colour=red,colour,c\n1,red,x\n2,blue,y\n3,red,x\n",
        fails("two features called `colour=red`"),
    ),
    "too large to scale": (
        "a,c\n1e308,x\n-1e308,y\n1,x\n",
        fails("too large"),
        Preprocessing(scale="minmax"),
    ),
    # Other formats.
    "arff": (
        "% a comment\n@RELATION t\n@attribute 'a b' numeric\n@attribute b {red, blue}\n"
        "@attribute c {x,y}\n@data\n1,red,x\n% more\n2,'blue',y\n",
        works(2, ("a b", "b=blue", "b=red")),
    ),
    "arff with double quotes": (
        "@relation t\n@attribute a numeric\n@attribute b string\n@attribute c {x,y}\n@data\n"
        '1,"red, or so",x\n2,blue,y\n3,"red, or so",x\n',
        works(3, ("a", "b=blue", "b=red, or so")),
    ),
    "arff with an apostrophe in double quotes": (
        '@relation t\n@attribute a numeric\n@attribute c string\n@data\n1,"it\'s, x"\n2,y\n',
        works(2, ("a",), ("it's, x", "y")),
    ),
    "sparse arff": (
        "@relation t\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n"
        "% none\n{0 1, 2 y}\n{1 3}\n",
        fails("t.csv:6:1", "sparse", "SparseToNonSparse"),
    ),
    "arff without data": ("@relation t\n@attribute a numeric\n", fails("no @data")),
    "arff with a fault": (
        "@relation t\n@attribute a\n@data\n1\n",
        fails("t.csv:2:1", "@attribute"),
    ),
    "not parquet": (b"PAR1" + bytes(40), fails("Parquet")),
}
