"""The data sets: description, source and checksum."""

from __future__ import annotations

from dataclasses import dataclass

UCI = "UCI Machine Learning Repository"
CC_BY = "CC BY 4.0"
NOT_STATED = "not stated"


@dataclass(frozen=True)
class Dataset:
    """A data set, without its values.

    Attributes
    ----------
    key : str
        Its key.
    title : str
        Its name in the paper, or a plain one.
    file : str or None
        Name of its file; None if it is generated.
    n_rows : int
        Number of rows.
    columns : tuple of str
        Column names in the file, the label included.
    about : str
        What a row is.
    source : str
        Its source.
    licence : str
        Its licence.
    checksum : str
        Checksum of its columns and values, not of the bytes of its file: see ``checksum_of``.
    label : str or None
        The column with the classes, never imputed; mostly None.
    stand_in : bool
        Whether it is generated to replace one that is not published.
    openml : int or None
        Its number at OpenML, if it can be downloaded there.
    """

    key: str
    title: str
    file: str | None
    n_rows: int
    columns: tuple[str, ...]
    about: str
    source: str
    licence: str
    checksum: str
    label: str | None = None
    stand_in: bool = False
    openml: int | None = None

    @property
    def n_columns(self) -> int:
        """Number of columns, the label included."""
        return len(self.columns)

    @property
    def size(self) -> str:
        """Rows and columns, as text."""
        return f"{self.n_rows} x {self.n_columns}"


A1_TO_A6 = ("A1", "A2", "A3", "A4", "A5", "A6")

_ALL = (
    # The paper's nine, in the order of its table.
    Dataset(
        key="asf",
        title="ASF",
        file="asf.csv",
        n_rows=1503,
        columns=A1_TO_A6,
        about="One sound measurement on an airfoil in a wind tunnel, in whole numbers.",
        source=f"{UCI}, Airfoil Self-Noise (id 291), scaled and cut as the paper's authors did",
        licence=CC_BY,
        checksum="9691e812fe4392ed9e45b03f9aee0eed37073f2f5979089cadb0dc2394b619fe",
        openml=44957,
    ),
    Dataset(
        key="ccs",
        title="CCS",
        file="ccs.csv",
        n_rows=1030,
        columns=(
            "cement",
            "blast_furnace_slag",
            "fly_ash",
            "water",
            "superplasticizer",
            "coarse_aggregate",
            "fine_aggregate",
            "age",
            "compressive_strength",
        ),
        about="One sample of concrete: its mixture, age and strength.",
        source=f"{UCI}, Concrete Compressive Strength (id 165)",
        licence=CC_BY,
        checksum="7d97b7b8117594f2c381fb26245c8292cea5fecb14e66fb4041f4dfb570e2b41",
        openml=44959,
    ),
    Dataset(
        key="ccpp",
        title="CCPP",
        file="ccpp.csv",
        n_rows=9568,
        columns=("AT", "V", "AP", "RH", "PE"),
        about="One hour of a power plant at full load: the weather, the vacuum and the output.",
        source=f"{UCI}, Combined Cycle Power Plant (id 294), first sheet",
        licence=CC_BY,
        checksum="b16f867d76d0afeaa677085a0242c3f5bc9c1ade2335a0d2b18711a8de4fe357",
    ),
    Dataset(
        key="sn",
        title="SN (stand-in)",
        file=None,
        n_rows=100_000,
        columns=("longitude", "latitude"),
        about="One point along a made-up winding road.",
        source="a seeded generator; the rows that the paper used are not known",
        licence="as iim",
        checksum="f5470f0136323141b48d9ce05f8ee520398803db9b2c66848ed3a306124d390e",
        stand_in=True,
    ),
    Dataset(
        key="phase",
        title="PHASE (stand-in)",
        file=None,
        n_rows=10_000,
        columns=("power_a", "power_b", "power_c", "current"),
        about="One made-up reading of a three-phase electric supply.",
        source="a seeded generator; the original belongs to Siemens and is not published",
        licence="as iim",
        checksum="e89eadc27a924de44ca95488ce6afd31ba86406977b76723ccfb4504ba1b17d2",
        stand_in=True,
    ),
    Dataset(
        key="ca",
        title="CA",
        file="ca.csv",
        n_rows=20_640,
        columns=(
            "longitude",
            "latitude",
            "housing_median_age",
            "total_rooms",
            "total_bedrooms",
            "population",
            "households",
            "median_income",
            "median_house_value",
        ),
        about="One group of blocks in California in the census of 1990.",
        source="StatLib, houses (Pace and Barry 1997); also in KEEL, as california",
        licence=NOT_STATED,
        checksum="6c493c4fd5b26f475b59bbe92e271aceb0207108898a661bdedc979564f00c53",
        openml=537,
    ),
    Dataset(
        key="da",
        title="DA",
        file="da.csv",
        n_rows=7129,
        columns=("RollRate", "PitchRate", "currPitch", "currRoll", "diffRollRate", "Sa"),
        about="One moment of the control of an aircraft's ailerons.",
        source="Torgo's regression collection, Delta Ailerons; also in KEEL, as delta_ail",
        licence=NOT_STATED,
        checksum="fccc7512e2fd1fb8b4f6e7f537600599731bacef8f2e278d5ccf231d8c362b62",
    ),
    Dataset(
        key="mam",
        title="MAM",
        file="mam.csv",
        n_rows=961,
        columns=("bi_rads", "age", "shape", "margin", "density", "severity"),
        about="One mass seen in a mammogram, with holes of its own.",
        source=f"{UCI}, Mammographic Mass (id 161); also in KEEL, as mammographic",
        licence=CC_BY,
        checksum="00fe029282b99c67a02ca0ba5256d7467f640f1cfe6f22a42926a4b8b2af342b",
        label="severity",
    ),
    Dataset(
        key="hep",
        title="HEP",
        file="hep.csv",
        n_rows=155,
        columns=(
            "age",
            "sex",
            "steroid",
            "antivirals",
            "fatigue",
            "malaise",
            "anorexia",
            "liver_big",
            "liver_firm",
            "spleen_palpable",
            "spiders",
            "ascites",
            "varices",
            "bilirubin",
            "alk_phosphate",
            "sgot",
            "albumin",
            "protime",
            "histology",
            "class",
        ),
        about="One patient with hepatitis, with holes of its own.",
        source=f"{UCI}, Hepatitis (id 46), its class moved to the end; also in KEEL, as hepatitis",
        licence=CC_BY,
        checksum="743e949bb9a712fe54b59b11baebda77aa837a4651e4c9f6661e379606564da0",
        label="class",
        openml=55,
    ),
    # Beside them.
    Dataset(
        key="road",
        title="Road excerpt",
        file="sn_road_first5000.csv",
        n_rows=5000,
        columns=("longitude", "latitude", "altitude"),
        about="One point along a road in North Jutland; probably a part of the paper's SN.",
        source=f"{UCI}, 3D Road Network (id 246), first 5000 rows without OSM_ID",
        licence=CC_BY,
        checksum="b4f820da9f1e0011635cc2bcf5dd18bb3d18121604fb98e06bd3be654ba9db4a",
    ),
    Dataset(
        key="airfoil",
        title="Airfoil, raw",
        file="airfoil_raw.csv",
        n_rows=1503,
        columns=(
            "frequency",
            "attack_angle",
            "chord_length",
            "velocity",
            "displacement_thickness",
            "sound_pressure",
        ),
        about="One sound measurement on an airfoil in a wind tunnel, as it was taken.",
        source=f"{UCI}, Airfoil Self-Noise (id 291)",
        licence=CC_BY,
        checksum="64f15bc7efe1bcdd47546d9fbe291827c96d27ae7e0bcfff6d5a8a7e2e1302b8",
        openml=44957,
    ),
    Dataset(
        key="asf_a2_missing",
        title="ASF with holes",
        file="asf_a2_missing.csv",
        n_rows=1503,
        columns=A1_TO_A6,
        about="ASF with the 150 cells of A2 empty that the paper's authors emptied.",
        source="the authors' program on GitHub, zaqthss/icde19-iim, data/asf1_0.1miss.csv",
        licence=f"data from UCI: {CC_BY}; the program's own: {NOT_STATED}",
        checksum="c092dde14ac74e1f1e75b10b0e7c7fbcba20667d20215cd85775a357559c2b94",
    ),
)

DATASETS: dict[str, Dataset] = {one.key: one for one in _ALL}
"""All data sets by key: the paper's nine, then others."""
